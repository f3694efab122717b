"""The tokeniser: every kind of word that news text has, with its pieces and its rendering."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.text.words import MAX_CHARS, bindings, inseparable, is_punctuation, normalize, render, tokenize

# One word each: Hindi, Bengali, Tamil, Telugu, Khmer, Burmese, Lao, Thai, pointed Hebrew and Arabic, Vietnamese.
SCRIPTS = "हिन्दी বাংলাদেশের தமிழ்நாட்டில் తెలుగులో ភាសាខ្មែរ မြန်မာဘာသာ ພາສາລາວ ภาษาไทย שָׁלוֹם العَرَبِيَّة tie\u0302\u0301ng".split()

# text, its tokens ("|" between them, punctuation included), the pieces of its words, its words as text
CASES = [
    # possessives and contractions
    ("Cuba's ships", "Cuba's|ships", "cuba 's|ships", "Cuba's ships"),
    ("didn't", "didn't", "did n't", "didn't"),
    ("they'll", "they'll", "they 'll", "they'll"),
    ("shouldn't've", "shouldn't've", "should n't 've", "shouldn't've"),
    ("O'Brien's", "O'Brien's", "o'brien 's", "O'Brien's"),
    ("the workers' strike", "the|workers'|strike", "the|workers|strike", "the workers' strike"),
    ("rock 'n' roll", "rock|'n'|roll", "rock|'n'|roll", "rock 'n' roll"),
    ("the '90s", "the|'90s", "the|'##s", "the '90s"),
    # text that was tokenised once gets its clitics back
    ("Cuba 's ships did n't", "Cuba's|ships|didn't", "cuba 's|ships|did n't", "Cuba's ships didn't"),
    # curly quotes
    ("didn’t", "didn’t", "did n't", "didn’t"),
    ("Cuba’s “new” plan", "Cuba’s|“|new|”|plan", "cuba 's|new|plan", "Cuba’s new plan"),
    ("‘Hello,’ he said", "‘|Hello|,|’|he|said", "hello|he|said", "Hello he said"),
    # quotes
    ('"No," he said', '"|No|,|"|he|said', "no|he|said", "No he said"),
    ("'the workers' left", "'|the|workers|'|left", "the|workers|left", "the workers left"),
    ("said 'no' to workers' pay", "said|'|no|'|to|workers'|pay", "said|no|to|workers|pay", "said no to workers' pay"),
    ("'the workers' pay is low'", "'|the|workers'|pay|is|low|'", "the|workers|pay|is|low", "the workers' pay is low"),
    ("'my workers' and 'my men'", "'|my|workers|'|and|'|my|men|'", "my|workers|and|my|men", "my workers and my men"),
    ("«oui»", "«|oui|»", "oui", "oui"),
    ("reached 44 °C there", "reached|44|°C|there", "reached|##|°c|there", "reached 44 °C there"),
    # abbreviations
    ("in the U.S. today", "in|the|U.S.|today", "in|the|u.s.|today", "in the U.S. today"),
    ("U.S.'s", "U.S.'s", "u.s. 's", "U.S.'s"),
    ("U.S.-led", "U.S.-led", "u.s.-led", "U.S.-led"),
    ("Mr. Smith left.", "Mr.|Smith|left|.", "mr.|smith|left", "Mr. Smith left"),
    ("at 5 a.m.", "at|5|a.m.", "at|#|a.m.", "at 5 a.m."),
    ("J. Smith", "J.|Smith", "j.|smith", "J. Smith"),
    ("No. 5", "No.|5", "no.|#", "No. 5"),
    ("S.Korea", "S.Korea", "s. korea", "S.Korea"),
    ("in Fresno, Calif., on", "in|Fresno|,|Calif.|,|on", "in|fresno|calif|on", "in Fresno Calif. on"),
    ("Jackson, Miss., was ill.", "Jackson|,|Miss.|,|was|ill|.", "jackson|miss|was|ill", "Jackson Miss. was ill"),
    ("Apple Inc.'s (Mar. 5)", "Apple|Inc.'s|(|Mar.|5|)", "apple|inc. 's|mar|#", "Apple Inc.'s Mar. 5"),
    # numbers
    ("$5.2 billion", "$5.2|billion", "$ #.#|billion", "$5.2 billion"),
    ("$ 5.2", "$5.2", "$ #.#", "$5.2"),
    ("US$5.2bn", "US$5.2bn", "us$ #.#bn", "US$5.2bn"),
    ("$.50", "$.50", "$ .##", "$.50"),
    ("-$5", "-$5", "$ #", "-$5"),
    ("5 €, 50¢", "5€|,|50¢", "# €|## ¢", "5€ 50¢"),
    ("3,000", "3,000", "#,###", "3,000"),
    ("12.5%", "12.5%", "##.# percent", "12.5%"),
    ("12.5 %", "12.5%", "##.# percent", "12.5%"),
    ("10-15% or -3%", "10-15%|or|-3%", "##-## percent|or|-# percent", "10-15% or -3%"),
    ("won 1-0", "won|1-0", "won|#-#", "won 1-0"),
    # a range is one word
    ("5.25%-5.5% or 3 %–4 %", "5.25%-5.5%|or|3%–4%", "#.##-#.# percent|or|#-# percent", "5.25%-5.5% or 3%–4%"),
    ("from $10-$12 to $15–$20", "from|$10-$12|to|$15–$20", "from|$ ##-##|to|$ ##-##", "from $10-$12 to $15–$20"),
    ("£3m-£5m, US$3-US$5", "£3m-£5m|,|US$3-US$5", "£ #m-#m|us$ #-#", "£3m-£5m US$3-US$5"),
    ("5€-7€ a $10-$12-an-hour", "5€-7€|a|$10-$12-an-hour", "#-# €|a|$ ##-##-an-hour", "5€-7€ a $10-$12-an-hour"),
    # an inch sign belongs to its number, unless it closes a quotation
    ('a 6" pipe', 'a|6"|pipe', "a|# inch|pipe", 'a 6" pipe'),
    ("5’11” or 5'10\" or 27″", "5’11”|or|5'10\"|or|27″", "#'## inch|or|#'## inch|or|## inch", None),
    ('the "Apollo 13" film', 'the|"|Apollo|13|"|film', "the|apollo|##|film", "the Apollo 13 film"),
    ("“in 2019” or “Area 51”", "“|in|2019|”|or|“|Area|51|”", "in|####|or|area|##", "in 2019 or Area 51"),
    ("9/11", "9/11", "#/##", "9/11"),
    ("2010–2012", "2010–2012", "####-####", "2010–2012"),
    ("10:30", "10:30", "##:##", "10:30"),
    ("20°C", "20°C", "##°c", "20°C"),
    ("100%20", "100%|20", "### percent|##", "100% 20"),
    (
        "20\u00a0000, 4\u202f200 or 1 000 000",
        "20000|,|4200|or|1000000",
        "#####|####|or|#######",
        "20000 4200 or 1000000",
    ),
    ("65 737 MAX", "65|737|MAX", "##|###|max", "65 737 MAX"),  # a plain space may stand between two numbers
    # a sign belongs to what it touched
    ("the % of 30", "the|%|of|30", "the|percent|of|##", "the % of 30"),
    ("in the 1990s % of", "in|the|1990s|%|of", "in|the|####s|percent|of", "in the 1990s % of"),
    ("costs 100$ 20 people", "costs|100$|20|people", "costs|### $|##|people", "costs 100$ 20 people"),
    ("costs 100€ 20 people", "costs|100€|20|people", "costs|### €|##|people", "costs 100€ 20 people"),
    ("₺5 or 7 ₫", "₺5|or|7₫", "₺ #|or|# ₫", "₺5 or 7₫"),
    # signs at the end of a word
    ("C++, C# or Disney+", "C++|,|C#|or|Disney+", "c +|c#|or|disney +", "C++ C# or Disney+"),
    ("a Ph.D. or Ed.D", "a|Ph.D.|or|Ed.D", "a|ph.d.|or|ed.d", "a Ph.D. or Ed.D"),
    ("git push --force", "git|push|--force", "git|push|force", "git push --force"),
    ("Tuesday--but", "Tuesday|--|but", "tuesday|but", "Tuesday but"),
    ("the ____ of", "the|____|of", "the|of", "the of"),
    # marks of web pages
    ("R&amp;D &amp; &quot;AT&T&quot;", "R&amp;D|&amp;|&quot;|AT&T|&quot;", "r&d|&|at&t", "R&amp;D &amp; AT&T"),
    ("Cuba&#39;s", "Cuba&#39;s", "cuba 's", "Cuba&#39;s"),
    # a clitic stays with its host over a mark, whatever the apostrophe
    ("Yahoo!'s", "Yahoo!'s", "yahoo 's", "Yahoo!'s"),
    ('"Titanic"\'s crew', "\"|Titanic's|crew", "titanic 's|crew", "Titanic's crew"),
    ("the (ECB)'s", "the|(|ECB's", "the|ecb 's", "the ECB's"),
    ("5%'s", "5%'s", "# percent 's", "5%'s"),
    ("the %'s rise", "the|%'s|rise", "the|percent 's|rise", "the %'s rise"),
    ("a € 's fall", "a|€'s|fall", "a|€ 's|fall", "a €'s fall"),
    ("5%'s's rise", "5%'s's|rise", "# percent 's 's|rise", "5%'s's rise"),
    ("the 'n's list", "the|'|n's|list", "the|n 's|list", "the n's list"),
    ("4 200 tonnes", "4|200|tonnes", "#|###|tonnes", "4 200 tonnes"),
    ("‘the 5 %'s’ share", "‘|the|5%'s|’|share", "the|# percent 's|share", "the 5%'s share"),
    ("grade 's' or", "grade|'|s|'|or", "grade|s|or", "grade s or"),
    ("@alice's U.S. 's", "@alice's|U.S.'s", "@alice 's|u.s. 's", "@alice's U.S.'s"),
    ("Cuba´s didn`t we‘ll", "Cuba´s|didn`t|we‘ll", "cuba 's|did n't|we 'll", "Cuba´s didn`t we‘ll"),
    ("He said 'no' to ʼ them", "He|said|'|no|'|to|ʼ|them", "he|said|no|to|them", "He said no to them"),
    # hyphens
    ("a state-of-the-art 43-year-old", "a|state-of-the-art|43-year-old", "a|state-of-the-art|##-year-old", None),
    # addresses, names, tags
    ("see https://ex.com/a?b=c, now", "see|https://ex.com/a?b=c|,|now", "see|https://ex.com/a?b=c|now", None),
    ("(www.ex.com)", "(|www.ex.com|)", "www.ex.com", "www.ex.com"),
    ("amazon.com", "amazon.com", "amazon.com", "amazon.com"),
    ("mail a.b@ex.co.uk.", "mail|a.b@ex.co.uk|.", "mail|a.b@ex.co.uk", "mail a.b@ex.co.uk"),
    ("@alice likes #news", "@alice|likes|#news", "@alice|likes|#news", "@alice likes #news"),
    ("AT&T", "AT&T", "at&t", "AT&T"),
    # ellipses, dashes, brackets
    ("wait...what", "wait|...|what", "wait|what", "wait what"),
    ("wait… what", "wait|…|what", "wait|what", "wait what"),
    ("Tuesday—but", "Tuesday|—|but", "tuesday|but", "Tuesday but"),
    ("Tuesday -- but", "Tuesday|--|but", "tuesday|but", "Tuesday but"),
    ("Oslo (AFP) [sic]", "Oslo|(|AFP|)|[|sic|]", "oslo|afp|sic", "Oslo AFP sic"),
    # accents in both normal forms: the models see one, the reader gets what was written
    ("caf\u00e9", "caf\u00e9", "caf\u00e9", "caf\u00e9"),
    ("cafe\u0301", "cafe\u0301", "caf\u00e9", "cafe\u0301"),
    # emoji
    ("👍 yes", "👍|yes", "👍|yes", "👍 yes"),
    ("👩\u200d👩\u200d👧👍🏽", "👩\u200d👩\u200d👧|👍🏽", "👩👩👧|👍🏽", "👩\u200d👩\u200d👧 👍🏽"),
    ("🇫🇷🇩🇪", "🇫🇷|🇩🇪", "🇫🇷|🇩🇪", "🇫🇷 🇩🇪"),
    # zero-width and control characters
    ("zero\u200bwidth", "zero|width", "zero|width", "zero width"),
    ("a\x00b\x07c\ufeff", "a|b|c", "a|b|c", "a b c"),
    ("soft\u00adhyphen", "soft\u00adhyphen", "softhyphen", "soft\u00adhyphen"),
    # text without spaces
    ("中国的船。", "中|国|的|船|。", "中|国|的|船", "中国的船"),
    ("中国’s new", "中|国’s|new", "中|国 's|new", "中国’s new"),
    ("東京 2020、", "東|京|2020|、", "東|京|####", "東京 2020"),
    ("彼はAT&Tの社員", "彼|は|AT&T|の|社|員", "彼|は|at&t|の|社|員", "彼はAT&Tの社員"),
    ("雨、2020年", "雨|、|2020|年", "雨|####|年", "雨2020年"),
    # a mark belongs to its letter in every script
    *((word, word, unicodedata.normalize("NFC", word), word) for word in SCRIPTS),
    ("が葛\U000e0100、・", "が|葛\U000e0100|、|・", "が|葛\U000e0100", "が葛\U000e0100"),
    # white space
    ("tab\tand\nline\r\nbreak", "tab|and|line|break", "tab|and|line|break", "tab and line break"),
    ("\u00a0 wide\u3000space ", "wide|space", "wide|space", "wide space"),
]


@pytest.mark.parametrize(("text", "tokens", "pieces", "rendered"), CASES, ids=[case[0] for case in CASES])
def test_tokens_pieces_and_rendering(text: str, tokens: str, pieces: str, rendered: str | None) -> None:
    words = tokenize(text)
    kept = [word for word in words if not word.punctuation]
    assert "|".join(word.text for word in words) == tokens
    assert "|".join(" ".join(word.pieces) for word in kept) == pieces
    assert render(kept) == (rendered if rendered is not None else " ".join(word.text for word in kept))


def test_a_clitic_and_a_sign_never_stand_alone_in_plain_text() -> None:
    words = [w for w in tokenize("Cuba's minister didn't pay $5.2 billion, or 12.5 %.") if not w.punctuation]
    assert [w.text for w in words] == ["Cuba's", "minister", "didn't", "pay", "$5.2", "billion", "or", "12.5%"]
    assert bindings(words) == []


def test_pretokenized_text_is_split_on_white_space_alone() -> None:
    words = tokenize("delhi 's $ #.# bln -lrb- UNK -rrb- , did n't ; `` 5-0 ''", pretokenized=True)
    assert [w.text for w in words if w.punctuation] == ["-lrb-", "-rrb-", ",", ";", "``", "''"]
    kept = [w for w in words if not w.punctuation]
    assert [w.pieces[0] for w in kept] == ["delhi", "'s", "$", "#.#", "bln", "<unk>", "did", "n't", "#-#"]
    assert bindings(kept) == [(1, 0), (2, 3), (7, 6)]
    assert render(kept, pretokenized=True) == "delhi 's $ #.# bln UNK did n't 5-0"


def test_a_percent_sign_needs_its_number_in_pretokenized_text() -> None:
    assert bindings(tokenize("up ## % today", pretokenized=True)) == [(2, 1)]


@pytest.mark.parametrize("token", "\" ' '' ! = - -- , ? . `` ` -rrb- -llb- \\/ ( ) [ ] : ; … — -LRB-".split())
def test_the_papers_punctuation_and_brackets_are_dropped(token: str) -> None:
    assert is_punctuation(token)


@pytest.mark.parametrize("token", "a 5 # $ % & 's n't 👍 € ½ UNK 中".split())
def test_words_are_not_punctuation(token: str) -> None:
    assert not is_punctuation(token)


@pytest.mark.parametrize(
    ("token", "normal"),
    [("Ship", "ship"), ("2012", "####"), ("don’t", "don't"), ("U.S.", "u.s."), ("E\u0301", "\u00e9"), ("UNK", "<unk>")],
)
def test_the_normal_form(token: str, normal: str) -> None:
    assert normalize(token) == normal


# Characters that the tokeniser has an opinion on, so that hypothesis meets their combinations.
NEWSY = st.text(
    st.sampled_from("aAsSnt.,'’‘\"“”-–—$%€#@&/:;()0159 \t\n…\u200b\u200d\u0301\ufe0f👍🇫中。é_+°\x00"), max_size=60
)


def _is_within(word: str, stretch: str) -> bool:
    """Whether a word is its stretch of the source but for gaps, and closing marks before a clitic."""
    rest = iter(stretch)
    return all(char in rest for char in word) and not any(char.isalnum() for char in set(stretch) - set(word))


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), NEWSY))
def test_anything_tokenises_with_offsets_in_order(text: str) -> None:
    end = 0
    for word in tokenize(text):
        assert word.start >= end
        end = word.end
        assert word.text
        assert _is_within(word.text, text[word.start : word.end])
        assert all(piece and not piece.isspace() for piece in word.pieces)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), NEWSY))
def test_rendering_doubles_nothing_and_loses_only_punctuation(text: str) -> None:
    kept = [word for word in tokenize(text) if not word.punctuation]
    rendered = render(kept)
    assert "  " not in rendered
    assert rendered == rendered.strip()
    assert rendered.replace(" ", "") == "".join(word.text for word in kept)
    if rendered.isascii():
        assert len(rendered.split()) == len(kept)  # as many words as were counted
    assert not any(ord(char) < 32 for char in rendered)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_pretokenised_rendering_of_everything_is_the_text(text: str) -> None:
    words = tokenize(text, pretokenized=True)
    assert [text[w.start : w.end] for w in words] == [w.text for w in words] == text.split()
    bindings([w for w in words if not w.punctuation])


def test_words_that_a_summary_leaves_out_bring_no_spaces() -> None:
    words = [word for word in tokenize("彼はAT&Tの社員で、2020年にThe Hagueへ来た。") if not word.punctuation]
    kept = [word for word in words if word.text in ("彼", "AT&T", "2020", "年", "Hague", "来")]
    assert render(kept) == "彼AT&T 2020年 Hague来"  # "The Hague" has a space in the source, too
    english = [word for word in tokenize("the old word 中国 means China") if word.text not in ("word", "国")]
    assert render(english) == "the old 中 means China"


def test_an_ampersand_needs_both_its_neighbours() -> None:
    for pretokenized in (False, True):
        words = tokenize("shares of Harrow & Finch fell", pretokenized=pretokenized)
        assert bindings(words) == [(3, 2), (3, 4)]
        assert inseparable(words) == [(2, 3), (3, 4)]
    assert bindings(tokenize("& Sons &")) == [(0, 1), (2, 1)]
    assert bindings(tokenize("cuba & & 's", pretokenized=True)) == [(1, 0), (3, 2)]  # no two need each other
    assert inseparable(tokenize("& Sons &")) == []  # at either end it joins nothing


HOSTILE = [
    "a.", "'", "-a", "1,", "@", "a", "a-", "a--", "1,,", "a's", "1.", "www.", "http://", "a@", "a@b.", "\u0301",
    "😀\u200d", "A. ", "-1", "1/", "a.A", "\u093d", "a_", "n't", "$", "1 ", "Mr.", "+", " '", " 's", "%1", "1-1,",
    "1 000", "$ ", "!'s", "++", "&amp;", "Ph.D.", "--a", "$1-", "1%-", '1"', "Va.", "a ,",
]  # fmt: skip


@pytest.mark.no_cover
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_is_tokenised_in_linear_time(unit: str) -> None:
    """A pattern that needs quadratic time would not end here within minutes."""
    third = (unit * MAX_CHARS)[: MAX_CHARS // 3 - 1]
    text = f"{third}@{third}%{third}"  # a pattern may fail only at what comes last
    assert tokenize(text)[-1].end == len(text.rstrip())
