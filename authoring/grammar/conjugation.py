"""The forms of French words: verbs in four simple tenses, plurals, feminines.

The regular verbs follow their ending, with the spelling changes of "manger", "commencer",
"acheter", "appeler", "préférer" and "payer"; the others are listed by family, such as
"prendre" for "comprendre".
"""

from dataclasses import dataclass
from functools import cache

from authoring.grammar.listing import listed

VOWELS = "aeiouyhàâäéèêëîïôöùûœ"

PRESENT = {
    "er": ("e", "es", "e", "ons", "ez", "ent"),
    "ir": ("is", "is", "it", "issons", "issez", "issent"),
    "re": ("s", "s", "", "ons", "ez", "ent"),
}
IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
FUTURE = ("ai", "as", "a", "ons", "ez", "ont")

# Family: six forms of the present, stem of the imperfect (ø: from the present), stem of the
# future (ø: the infinitive without its e), participle.
IRREGULAR = """
être: suis es est sommes êtes sont | ét | ser | été
avoir: ai as a avons avez ont | av | aur | eu
aller: vais vas va allons allez vont | all | ir | allé
faire: fais fais fait faisons faites font | fais | fer | fait
interdire: interdis interdis interdit interdisons interdisez interdisent | ø | ø | interdit
traduire: traduis traduis traduit traduisons traduisez traduisent | ø | ø | traduit
conduire: conduis conduis conduit conduisons conduisez conduisent | ø | ø | conduit
construire: construis construis construit construisons construisez construisent | ø | ø | construit
dire: dis dis dit disons dites disent | dis | ø | dit
relire: relis relis relit relisons relisez relisent | ø | ø | relu
lire: lis lis lit lisons lisez lisent | ø | ø | lu
écrire: écris écris écrit écrivons écrivez écrivent | ø | ø | écrit
décrire: décris décris décrit décrivons décrivez décrivent | ø | ø | décrit
revoir: revois revois revoit revoyons revoyez revoient | ø | reverr | revu
devoir: dois dois doit devons devez doivent | ø | devr | dû
recevoir: reçois reçois reçoit recevons recevez reçoivent | ø | recevr | reçu
pouvoir: peux peux peut pouvons pouvez peuvent | ø | pourr | pu
savoir: sais sais sait savons savez savent | ø | saur | su
vouloir: veux veux veut voulons voulez veulent | ø | voudr | voulu
voir: vois vois voit voyons voyez voient | ø | verr | vu
prendre: prends prends prend prenons prenez prennent | ø | ø | pris
admettre: admets admets admet admettons admettez admettent | ø | ø | admis
mettre: mets mets met mettons mettez mettent | ø | ø | mis
venir: viens viens vient venons venez viennent | ø | viendr | venu
tenir: tiens tiens tient tenons tenez tiennent | ø | tiendr | tenu
connaître: connais connais connaît connaissons connaissez connaissent | ø | ø | connu
croire: crois crois croit croyons croyez croient | ø | ø | cru
boire: bois bois boit buvons buvez boivent | ø | ø | bu
courir: cours cours court courons courez courent | ø | courr | couru
dormir: dors dors dort dormons dormez dorment | ø | ø | dormi
sortir: sors sors sort sortons sortez sortent | ø | ø | sorti
partir: pars pars part partons partez partent | ø | ø | parti
sentir: sens sens sent sentons sentez sentent | ø | ø | senti
mentir: mens mens ment mentons mentez mentent | ø | ø | menti
servir: sers sers sert servons servez servent | ø | ø | servi
ouvrir: ouvre ouvres ouvre ouvrons ouvrez ouvrent | ø | ø | ouvert
couvrir: couvre couvres couvre couvrons couvrez couvrent | ø | ø | couvert
offrir: offre offres offre offrons offrez offrent | ø | ø | offert
cueillir: cueille cueilles cueille cueillons cueillez cueillent | ø | cueiller | cueilli
poursuivre: poursuis poursuis poursuit poursuivons poursuivez poursuivent | ø | ø | poursuivi
suivre: suis suis suit suivons suivez suivent | ø | ø | suivi
vivre: vis vis vit vivons vivez vivent | ø | ø | vécu
rire: ris ris rit rions riez rient | ri | ø | ri
peindre: peins peins peint peignons peignez peignent | ø | ø | peint
éteindre: éteins éteins éteint éteignons éteignez éteignent | ø | ø | éteint
plaindre: plains plains plaint plaignons plaignez plaignent | ø | ø | plaint
résoudre: résous résous résout résolvons résolvez résolvent | ø | ø | résolu
coudre: couds couds coud cousons cousez cousent | ø | ø | cousu
fuir: fuis fuis fuit fuyons fuyez fuient | ø | ø | fui
asseoir: assieds assieds assied asseyons asseyez asseyent | ø | assiér | assis
envoyer: envoie envoies envoie envoyons envoyez envoient | ø | enverr | envoyé
"""

# Verbs whose compound past takes "être", apart from the reflexive ones.
WITH_BE = frozenset(
    listed(
        "aller venir revenir arriver partir entrer sortir rester tomber retourner rentrer naître "
        "mourir devenir"
    )
)


@dataclass(frozen=True)
class Forms:
    """The forms of a French verb; of each tense six, from "je" to "ils"."""

    infinitive: str
    present: tuple[str, ...]
    imperfect: tuple[str, ...]
    future: tuple[str, ...]
    conditional: tuple[str, ...]
    participle: str


@cache
def conjugate(infinitive: str) -> Forms:
    """The forms of a verb without its reflexive pronoun, e.g. ``"acheter"``."""
    for line in IRREGULAR.strip().splitlines():
        family, forms = line.split(": ")
        if infinitive.endswith(family) and _prefix_fits(infinitive, family):
            prefix = infinitive.removesuffix(family)
            present_, past, future, participle = forms.split(" | ")
            present = tuple(prefix + form for form in present_.split())
            past_stem = present[3].removesuffix("ons") if past == "ø" else prefix + past
            future_stem = infinitive.removesuffix("e") if future == "ø" else prefix + future
            return _forms(infinitive, present, past_stem, future_stem, prefix + participle)
    return _regular(infinitive)


def _prefix_fits(infinitive: str, family: str) -> bool:
    """Whether what stands before the family is a prefix: "re|prendre", but not "éc|lire"."""
    prefixes = ("", *listed("re r com ap sur de per pro ob dis sou dé en entre con main"))
    return infinitive.removesuffix(family) in prefixes


def _regular(infinitive: str) -> Forms:
    """A verb in -er, -ir (like "finir") or -re (like "vendre")."""
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending != "er":
        present = tuple(stem + end for end in PRESENT[ending])
        past = present[3].removesuffix("ons")
        participle = stem + ("i" if ending == "ir" else "u")
        return _forms(infinitive, present, past, infinitive.removesuffix("e"), participle)
    mute, hard, future = _spellings(stem)
    ends = PRESENT["er"]
    present = tuple(
        mute + ends[i] if i in (0, 1, 2, 5) else hard * (i == 3) + stem * (i == 4) + ends[i]
        for i in range(6)
    )
    forms = _forms(infinitive, present, hard, future, stem + "é")
    if hard == stem:
        return forms
    imperfect = tuple((stem if end in ("ions", "iez") else hard) + end for end in IMPERFECT)
    return Forms(infinitive, present, imperfect, forms.future, forms.conditional, forms.participle)


def _spellings(stem: str) -> tuple[str, str, str]:
    """How the stem of a verb in -er is spelt before a mute e, before a or o, and in the future."""
    mute = hard = stem
    future = stem + "er"
    if stem.endswith("g"):
        hard = stem + "e"
    elif stem.endswith("c"):
        hard = stem[:-1] + "ç"
    elif stem.endswith("y") and not stem.endswith("ey"):
        mute = stem[:-1] + "i"
        future = mute + "er"
    elif stem.endswith(("appel", "rappel", "jet")):
        mute = stem + stem[-1]
        future = mute + "er"
    elif len(stem) > 2 and stem[-2] in "eé" and stem[-1] not in VOWELS:
        mute = stem[:-2] + "è" + stem[-1]
        future = (mute if stem[-2] == "e" else stem) + "er"
    return mute, hard, future


def _forms(
    infinitive: str, present: tuple[str, ...], past: str, future: str, participle: str
) -> Forms:
    """All the forms, from the stems of imperfect and future."""
    return Forms(
        infinitive,
        present,
        tuple(past + end for end in IMPERFECT),
        tuple(future + end for end in FUTURE),
        tuple(future + end for end in IMPERFECT),
        participle,
    )


def plural(word: str) -> str:
    """The plural of a French noun or adjective that follows the rules."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "eu", "au")) and word != "bleu":
        return word + "x"
    if word.endswith("al") and word not in ("bal", "banal"):
        return word[:-2] + "aux"
    return word + "s"


def feminine(word: str) -> str:
    """The feminine of a French adjective or participle that follows the rules."""
    for ending, replacement in (
        ("eux", "euse"),
        ("if", "ive"),
        ("er", "ère"),
        ("el", "elle"),
        ("en", "enne"),
        ("on", "onne"),
        ("et", "ette"),
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + replacement
    return word if word.endswith("e") else word + "e"


def agree(participle: str, gender: str, plural_: bool) -> str:
    """A participle that agrees: ``("pris", "f", True)`` gives "prises"; "dû" loses its accent."""
    if gender == "f":
        return participle.replace("dû", "du") + "e" + "s" * plural_
    return participle + "s" * (plural_ and not participle.endswith(("s", "x")))
