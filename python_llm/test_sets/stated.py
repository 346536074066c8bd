"""Gold diagnoses that somebody wrote as a sentence: 'The diagnosis is Gout.' is Gout.

Models are taught with such answers, and people fill a column with them. Only the name is the gold
diagnosis; of a text that states none in a way that is known, nobody guesses it.
"""

import re

_OF_THE_RIGHT_ONE = (
    r"(?:(?:most|likely|probable|final|correct|main|primary|principal|leading|definitive|working"
    r"|underlying|confirmed|clinical|top|single|unifying|gold|true|best|patient['’]?s)\s+){0,4}"
)
_DETERMINED = r"(?:the|my|our|his|her|their|this|a|an)\s+"
# how an answer says which diagnosis it is, in the languages of the project's headings
_STATED = (
    rf"(?:{_DETERMINED})?{_OF_THE_RIGHT_ONE}(?:diagnosis|dx)"
    r"(?:\s+(?:here|in this (?:case|patient)|for this (?:case|patient)|of this (?:case|patient)))?"
    r"\s*(?:\bis\b|\bwas\b|\bwould be\b|[:=–—]|->)(?:\s+that of)?",
    r"(?:this|it|the (?:case|patient|presentation|picture|history)|these findings|the findings)"
    r"(?:\s+(?:case|patient|presentation|picture))?\s+(?:is|are|was|would be)\s+(?:a case of"
    r"|(?:most |highly |very )?(?:consistent|compatible|in keeping) with"
    r"|(?:most )?(?:suggestive|typical|characteristic|diagnostic) (?:of|for))",
    r"(?:the|this|our) (?:patient|case) (?:has|had|suffers from|was diagnosed with)",
    r"(?:the|this|our) (?:patient|woman|man|boy|girl|child) (?:most likely|probably) (?:has|had)",
    r"(?:el|su|un)?\s*(?:diagn[oó]stico|dx)(?:\s+(?:m[aá]s|probable|final|correcto|definitivo"
    r"|principal|cl[ií]nico|confirmado)){0,3}\s*(?:\bes\b|\bfue\b|\bser[ií]a\b|[:=])",
    r"(?:die|meine)?\s*(?:(?:wahrscheinlichste|endg[uü]ltige|richtige|korrekte|gesicherte)\s+)?"
    r"(?:haupt)?diagnose\s*(?:\bist\b|\blautet\b|\bwar\b|[:=])",
    r"(?:le|mon)?\s*diagnostic(?:\s+(?:le|plus|probable|final|correct|principal|retenu)){0,4}\s*"
    r"(?:\best\b|[:=])(?:\s+celui (?:de|d['’]))?",
    r"(?:la)?\s*diagnosi(?:\s+(?:pi[uù]|probabile|finale|corretta|definitiva)){0,3}\s*"
    r"(?:\b[eè]\b|[:=])",
    r"(?:o)?\s*diagn[oó]stico(?:\s+(?:mais|prov[aá]vel|final|correto|definitivo)){0,3}\s*"
    r"(?:\b[eé]\b|[:=])",
)
# and behind the name: 'Gout is the most likely diagnosis'
_BEHIND = re.compile(
    rf"^(?P<name>\S.*?)\s+(?:is|was)\s+(?:the|my)\s+{_OF_THE_RIGHT_ONE}diagnosis\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_STATEMENT = re.compile(
    r"^(?:(?:based on|given|considering|therefore|thus|so|hence|overall|in summary)\b[^.:]*?,?\s+)?"
    rf"(?:{'|'.join(_STATED)})\s*(?P<name>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCES = re.compile(r"\n+|(?<=[^\W\d_]{3}[.!?])\s+|(?<=[)\d%][.!?])\s+")
_NEXT = re.compile(r"[.!]\s+")
_MARKUP = re.compile(r"\*\*|__|`|^\s*(?:#+|[-*•>])\s+", re.MULTILINE)
# what follows a name and says why
_WHY = re.compile(
    r",?\s+(?:because|given (?:the|his|her|that)|as (?:evidenced|shown|suggested|indicated)"
    r"|based on|supported by|in view of|in light of|since|porque|dado que|weil|aufgrund"
    r"|en raison|car|perch[eé]|perqu[eè])\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"(?:an?|una?|eine?|une?)\s+(?=[^\W\d_]{3})", re.IGNORECASE)
# words that a sentence has and no name of a disease
_VERB = re.compile(
    r"\b(?:is|was|are|were|has|have|had|shows?|showed|presents|presented|suggests?|suggested"
    r"|indicates?|indicated|think|believe|should|could|would|will|can|confirms?|es|tiene|presenta"
    r"|sugiere|ist|hat|zeigt|spricht|est|pr[eé]sente|sugg[eè]re|ha)\b"
)
_SUBJECT = re.compile(
    r"(?:this|these|that|he|she|it|i|we|the (?:patient|case|findings|woman|man|child|boy|girl)"
    r"|there|el paciente|la paciente|der patient|die patientin|le patient|la patiente)\s",
    re.IGNORECASE,
)
_LEAST_WORDS = 4  # of a sentence
_ENDS = " \t\r\n.;:!\"'“”«»"
SENTENCE = (
    "a sentence that does not say which diagnosis it is: write the name of the diagnosis alone"
)


def name_in(written: str) -> str:
    """The diagnosis that a text says is it; the text itself if it says none, or more than one."""
    if len(written.split()) < 2:
        return written
    plain = _MARKUP.sub("", written)
    stated: dict[str, str] = {}
    for sentence in _SENTENCES.split(plain):
        sentence = sentence.strip()
        if statement := _STATEMENT.match(sentence) or _BEHIND.match(sentence):
            name = _alone(statement["name"])
            stated.setdefault(name.casefold(), name)
    return next(iter(stated.values())) if len(stated) == 1 else written


def _alone(written: str) -> str:
    """A name without its article and what follows it: a reason, or a sentence more ('Hepatitis A.
    Serology will confirm it', but not 'St. Louis encephalitis')."""
    for end in _NEXT.finditer(written):
        if _VERB.search(written, end.end()):
            written = written[: end.start()]
            break
    name = _WHY.sub("", written).strip(_ENDS)
    article = _ARTICLE.match(name)
    return name[article.end() :] if article else name


def is_sentence(written: str) -> bool:
    """Whether a text is a statement about a patient and not a name: it has a verb, and begins or
    ends like a sentence."""
    is_whole = written.rstrip().endswith((".", "!", "?")) or _SUBJECT.match(written) is not None
    return len(written.split()) >= _LEAST_WORDS and is_whole and _VERB.search(written) is not None
