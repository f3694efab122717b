"""Stage 3: the English words that the needs of a tree know by name. For another language the labels alone count."""

from __future__ import annotations

# Words whose loss turns the meaning round, makes a fact of a guess, or a lot of a little.
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
# Words whose complement is the news: what was said counts as the main predicate.
SAYING = frozenset(
    "said says say saying reported reports report announced announces told tells added adds warned confirmed confirms "
    "stated states claimed noted explained insisted showed shows argued suggests according know regret remind "
    "reminder inform confirm announce note".split()
)
# "I am writing to let you know that ...": polite words before a word of saying.
POLITE = frozenset("writing write let like want wanted sorry pleased happy glad proud delighted".split())
ASKING = frozenset(["whether", "if"])
CONDITIONS = frozenset("if unless until provided".split())
EXCEPTIONS = frozenset(["except", "apart"])
OPTIONAL = frozenset(["that"])  # "said that it would": nobody misses it
POSSESSIVE = frozenset(["'s", "'"])
BARE = frozenset("be been being".split())  # nobody writes "it been sold", nor "it has sold" for "it has been sold"
HAVE = frozenset("have has had 've having".split())
# Participles that are no past tense: "the storm taken" needs its "has", where "the storm hit" does not.
PARTICIPLES = frozenset(
    "arisen beaten become begun bitten blown broken chosen come done drawn driven drunk eaten fallen flown forbidden "
    "forgiven forgotten frozen given gone grown hidden known overtaken overthrown ridden risen run seen shaken shown "
    "shrunk spoken stolen stricken sung sunk sworn swum taken thrown torn undergone undertaken withdrawn woken worn "
    "written".split()
)
ASKED = frozenset(["on", "upon"])  # "called on them to leave": they are asked, as an object would be
COMPLETED = frozenset(["worth", "up", "down"])  # "up" how much? They say little without what comes after them.
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
FAILING = frozenset("fail fails failed failing refuse refuses refused refusing unable".split())  # to do it
PERSONAL = frozenset("i you he she it we they this that there who".split())
PRONOUNS = frozenset("it he she they its his her their him them".split())
RELATIVE = frozenset("who which that what".split())
# Nobody in particular: what is said of them holds only with what restricts them.
ANYONE = frozenset(
    "people person those anyone everyone anybody someone users patients children adults women men customers students "
    "drivers staff players members visitors one anything nothing employees workers landlords tenants residents "
    "passengers owners parents applicants".split()
)
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
# Of a number that comes after them: "up to 5,000 dollars" is no 5,000 dollars.
BOUNDS = frozenset(tuple(pair.split()) for pair in "up to|at least|at most|more than|less than|fewer than".split("|"))
# Neighbours that mean nothing, or something else, alone.
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
# Which one of several: "the third quarter", "the first half", and all superlatives.
SINGLING = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth last next best worst biggest largest highest "
    "lowest steepest longest fastest smallest oldest youngest latest greatest deadliest".split()
)
# "85 cents a share", "twice a week": here the article is a word of its own.
EACH = frozenset(
    "barrel share ounce ton tonne kilo gallon litre person piece minute hour day night week month year".split()
)
AMOUNTS = frozenset("cents dollars euros pounds percent times twice once".split())
RANGES = frozenset([("from", "to"), ("between", "and")])
