"""Names, cities, countries, adverbs and set phrases of the built-in language.

Frequent entries come first.
"""

from authoring.grammar.listing import listed

MEN = listed(
    "Paul Pierre Thomas Luc Nicolas Antoine Henri Marc Hugo Olivier Julien Émile Étienne Adrien "
    "Félix Oscar Gaspard Ulysse"
)
WOMEN = listed(
    "Marie Sophie Anne Julie Claire Alice Emma Louise Camille Hélène Inès Élise Charlotte Agathe "
    "Odile Yvonne Ursule Eugénie"
)

# English = French, where the two differ.
CITIES = """
Paris; London = Londres; Lyon; Rome; Berlin; Geneva = Genève; Brussels = Bruxelles; Madrid
Montreal = Montréal; Lisbon = Lisbonne
Athens = Athènes; Vienna = Vienne; Moscow = Moscou; Venice = Venise; Algiers = Alger; Amsterdam
Edinburgh = Édimbourg; Warsaw = Varsovie
"""

# English = French with its preposition for "in" and "to", from which follows that for "from":
# en → de, au → du, aux → des.
COUNTRIES = """
France = en France; England = en Angleterre; Germany = en Allemagne; Italy = en Italie
Spain = en Espagne; Canada = au Canada
Japan = au Japon; the United States = aux États-Unis; Portugal = au Portugal; Belgium = en Belgique
China = en Chine
Switzerland = en Suisse; Morocco = au Maroc; the Netherlands = aux Pays-Bas; Greece = en Grèce
Egypt = en Égypte; Denmark = au Danemark
Ireland = en Irlande; Norway = en Norvège; Iceland = en Islande; Senegal = au Sénégal
Hungary = en Hongrie; the Philippines = aux Philippines
"""

LANGUAGES = """
French = français; English = anglais; Spanish = espagnol; German = allemand; Italian = italien
Japanese = japonais; Arabic = arabe
Russian = russe; Portuguese = portugais; Chinese = chinois; Greek = grec; Dutch = néerlandais
Hungarian = hongrois; Icelandic = islandais
"""

MANNER = """
slowly = lentement; quickly = vite; quietly = sans bruit; well = bien; carefully = avec soin
alone = seul; patiently = patiemment
happily = joyeusement; calmly = calmement; politely = poliment; nervously = nerveusement
in silence = en silence
in secret = en secret; seriously = sérieusement; reluctantly = à contrecœur
proudly = fièrement; with pleasure = avec plaisir; in vain = en vain
"""

PAST_TIMES = """
yesterday = hier; last week = la semaine:2 dernière:1; this morning = ce matin
last night = hier:1 soir:2; last year = l' année:2 dernière:1
two days ago = il:3 y:3 a:3 deux:1 jours:2; last month = le mois:2 dernier:1
a long time ago = il:4 y:4 a:4 longtemps:1,2,3; on Monday = lundi:2; in May = en mai
last summer = l' été:2 dernier:1; the day before yesterday = avant-hier; one day = un jour
on Thursday = jeudi:2; last winter = l' hiver:2 dernier:1
a few minutes ago = il:4 y:4 a:4 quelques:1,2 minutes:3; ten years ago = il:3 y:3 a:3 dix:1 ans:2
on the eighth of August = le:2 huit:3 août:5
"""

PRESENT_TIMES = """
every day = tous:1 les:1 jours:2; in the morning = le:2 matin:3; today = aujourd'hui
in the evening = le:2 soir:3; on Sundays = le dimanche:2; in summer = en été
at night = la nuit:2; in winter = en hiver; every week = toutes:1 les:1 semaines:2
in spring = au:1 printemps:2; every evening = tous:1 les:1 soirs:2
in autumn = en automne; in the afternoon = l':2 après-midi:3; every year = tous:1 les:1 ans:2
from time to time = de temps en temps
"""

NOW_TIMES = """
now = maintenant; at the moment = en:1 ce:2 moment:3; today = aujourd'hui; this morning = ce matin
this evening = ce soir; this week = cette semaine
"""

FUTURE_TIMES = """
tomorrow = demain; next week = la semaine:2 prochaine:1; tonight = ce soir; soon = bientôt
next year = l' année:2 prochaine:1
tomorrow morning = demain:1 matin:2; in two days = dans deux jours; on Saturday = samedi:2
next month = le mois:2 prochain:1; in June = en juin
in an hour = dans une heure; the day after tomorrow = après-demain
next summer = l' été:2 prochain:1; on Wednesday = mercredi:2
"""

DURATIONS = """
years = ans m; months = mois m; days = jours m; hours = heures f; weeks = semaines f
minutes = minutes f
"""

HOURS = listed("one two three four five six seven eight nine ten eleven")

WEATHER = """
it is raining = il pleut = it was raining = il pleuvait
it is cold = il fait froid = it was cold = il faisait froid
it is hot = il fait chaud = it was hot = il faisait chaud
it is snowing = il neige = it was snowing = il neigeait
it is late = il est tard = it was late = il était tard
it is dark = il fait nuit = it was dark = il faisait nuit
the weather is fine = il fait beau = the weather was fine = il faisait beau
it is windy = il y a du vent = it was windy = il y avait du vent
it is foggy = il y a du brouillard = it was foggy = il y avait du brouillard
it is early = il est tôt = it was early = il était tôt
"""
