"""Stage 2: the English words that rules know by name. For another language, only the labels of the tree count."""

from __future__ import annotations

from tersely.sentence.sentence import Sentence

# Words whose loss reverses the meaning, makes a guess a fact, or changes an amount.
_TURNING = {
    "negation": "not n't no never nobody none neither nor without hardly nothing nowhere cannot barely scarcely rarely "
    "seldom",
    "doubt": "if unless whether until except",
    "hedge": "could would may might must should allegedly reportedly purportedly apparently supposedly presumably "
    "seemingly probably perhaps maybe former ex vice deputy acting ousted deposed outgoing alleged suspected so-called "
    "attempted would-be failed fake false possible potential proposed planned instead",
    "connective": "when where why how while because although though whereas whenever wherever whose what which so "
    "otherwise",
    "modal": "will can shall",
    "degree": "only almost nearly about half few less fewer least most some likely unlikely another every "
    "more lower higher better worse usually often sometimes mostly generally typically normally roughly "
    "approximately largely mainly partly",
}
TURNING = {word: kind for kind, words in _TURNING.items() for word in words.split()}
# "May" and "Will" may also be names. A title in capitals leaves only these words without one.
_ALSO_NAMES = frozenset(["may", "will"])
_SMALL_IN_TITLES = frozenset(
    "a an the and or but nor as at by for from in into is of off on onto out over per than to up via with".split()
)
# Words whose complement is the news: what was said counts as the main predicate.
SAYING = frozenset(
    "said says say saying reported reports report announced announces told tells added adds warned confirmed confirms "
    "stated states claimed noted explained insisted showed shows argued suggests according know regret remind "
    "reminder inform confirm announce note".split()
)
# Polite words before a verb of saying: "I am writing to let you know that ...".
POLITE = frozenset("writing write let like want wanted sorry pleased happy glad proud delighted".split())
ASKING = frozenset(["whether", "if"])
CONDITIONS = frozenset("if unless until provided".split())
EXCEPTIONS = frozenset(["except", "apart"])
OPTIONAL = frozenset(["that"])  # "said that it would": it can be left out
POSSESSIVE = frozenset(["'s", "'"])
BARE = frozenset("be been being".split())  # neither "it been sold" nor "it has sold" can stand for "it has been sold"
HAVE = frozenset("have has had 've having".split())
# Participles that are not also a past tense: "the storm taken" needs its "has", "the storm hit" does not.
PARTICIPLES = frozenset(
    "arisen beaten become begun bitten blown broken chosen come done drawn driven drunk eaten fallen flown forbidden "
    "forgiven forgotten frozen given gone grown hidden known overtaken overthrown ridden risen run seen shaken shown "
    "shrunk spoken stolen stricken sung sunk sworn swum taken thrown torn undergone undertaken withdrawn woken worn "
    "written".split()
)
ASKED = frozenset(["on", "upon"])  # in "called on them to leave", "them" is what the object is in "asked them to leave"
COMPLETED = frozenset(["worth", "up", "down"])  # they say little without what follows: "up" how much?
# Nouns that say little without what they are about: "the potential to harm", "news that he left", "ways of helping".
CONTENT = frozenset(
    "ability allegations attempt attempts bid claim claims concerns decision effort efforts evidence expectations fact "
    "fear fears hope hopes instructions kind licence license news plan plans potential pressure promise refusal right "
    "rights sign signs threat threats way ways".split()
)
# Verbs whose object is not enough: "accused the board" of what, "turned chances" into what?
PLACING = frozenset(
    "accuse accuses accused accusing awarded awards blame blames blamed bring brings brought charge charged compare "
    "compared convert converted deprive deprived dealt lead leads led leave leaves leaving link linked name named "
    "naming place placed prevent prevents prevented preventing put puts putting strip stripped take takes took "
    "taking turn turns turned turning transform transformed".split()
)
DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight week month year".split()
)
QUESTION = frozenset("who whom whose what which when where why how".split())
FAILING = frozenset("fail fails failed failing refuse refuses refused refusing unable".split())  # to do something
PERSONAL = frozenset("i you he she it we they this that there who".split())
PRONOUNS = frozenset("it he she they its his her their him them".split())
RELATIVE = frozenset("who which that what".split())
# Generic nouns and pronouns: what is said of them is true only with what restricts them.
ANYONE = frozenset(
    "people person those anyone everyone anybody someone users patients children adults women men customers students "
    "drivers staff players members visitors one anything nothing employees workers landlords tenants residents "
    "passengers owners parents applicants".split()
)
# Nouns and quantifiers that need what they are a part of: "the end of the war".
PARTS = frozenset(
    "end half part number lot bulk majority series group pair bit most some one rest side top age lack kind type sort "
    "none all each both either third quarter couple presence rate risk amount level average start beginning "
    "edge sign signs middle worth".split()
)
# Nouns that say nothing without what describes them: "on the coldest day", "on Sunday afternoons", "in a new way".
EMPTY = frozenset(
    "day days morning mornings afternoon afternoons evening evenings night nights time times date period way ways "
    "row basis kind type".split()
)
DEMONSTRATIVE = frozenset("this that these those".split())
# First words of place names and surnames.
PLACE = frozenset(
    "south north east west new united saudi hong los san las sri costa puerto sierra el le la "
    "da van von bin al abu del der".split()
)
COMPANY = frozenset("ltd. ltd inc. inc corp. corp co. co group holdings plc llc company".split())
UNITS = frozenset(
    "hundred thousand million billion trillion percent dozen january february march april june july august september "
    "october november december dollars euros pounds yen yuan cents seconds minutes hours days weeks months years miles "
    "kilometers kilometres meters metres degrees tons tonnes barrels worth".split()
)
# They bound the number after them: "up to 5,000 dollars" may be less than 5,000 dollars.
BOUNDS = frozenset(tuple(pair.split()) for pair in "up to|at least|at most|more than|less than|fewer than".split("|"))
# Two neighbours that mean nothing, or something else, without each other.
FIXED = BOUNDS | frozenset(
    tuple(pair.split())
    for pair in "such as|each other|one another|a few|a lot|a little|"
    "no one|even if|only just|because of|out of|rather than|due to|according to|as well|take place|so far|"
    "so many|so much|how much|how many|how long|how often|how far|how old|last year|last month|last week|last night|"
    "next year|next month|next week|every time|each time|every day|every year|as if|as soon|get back|go back|at all|"
    "too much|too many|very much|more likely|less likely|at first|at once|side effects|in full|longer than|later than|"
    "european union|white house|world cup|world bank|security council|stock exchange|wall street|human rights|"
    "civil war|middle east|northern ireland|west bank|democratic republic|al qaeda|not even|not only|not just|"
    "even when|even though|even after|a row|ahead of|better than|worse than|higher than|lower than|contrary to|"
    "choice but|but to|secretary general|"
    "attorney general".split("|")
)
# Ordinals and superlatives, which say which one of several: "the third quarter", "the first half".
SINGLING = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth last next best worst biggest largest highest "
    "lowest steepest longest fastest smallest oldest youngest latest greatest deadliest".split()
)
# Nouns after an article that means "each": "85 cents a share", "twice a week".
EACH = frozenset(
    "barrel share ounce ton tonne kilo gallon litre person piece minute hour day night week month year".split()
)
AMOUNTS = frozenset("cents dollars euros pounds percent times twice once".split())
RANGES = frozenset([("from", "to"), ("between", "and")])


def proper_nouns(sentence: Sentence) -> frozenset[int]:
    """The positions of "May" the month and "Will" the first name, which are not modal verbs.

    They have a capital inside a sentence (but in a title with capitals that says nothing), or a number after "may".

    >>> from tersely.text.vocabulary import Vocabulary
    >>> from tersely.text.words import tokenize
    >>> words = tokenize("Ships may sail in May , after Will Harper said : Will they ?", pretokenized=True)
    >>> sorted(proper_nouns(Sentence.of(words, Vocabulary.of([]))))
    [4, 6]
    """
    candidates = [i for i, word in enumerate(sentence.words) if word.pieces[0] in _ALSO_NAMES]
    if not candidates:
        return frozenset()
    title = {word.text for word in sentence.words if word.text[0].islower()} <= _SMALL_IN_TITLES
    before = dict(zip((token.start for token in sentence.tokens[1:]), sentence.tokens, strict=False))

    def is_name(i: int) -> bool:
        word, previous = sentence.words[i], before.get(sentence.words[i].start)
        if word.pieces[0] == "may" and i + 1 < len(sentence) and sentence.words[i + 1].text[0] in "#0123456789":
            return True
        inside = previous is not None and (not previous.punctuation or previous.text in ",(")
        return word.text[0].isupper() and inside and not title

    return frozenset(filter(is_name, candidates))
