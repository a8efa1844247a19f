"""The adjectives of the built-in language.

A block opens with ``@`` and the types of nouns that its adjectives go with. Frequent words come
first. An entry reads ``english = french``; ``<`` marks those that stand before the noun, ``~``
those that only follow "to be", ``+`` those that never do. ``beau/belle`` has a feminine that the
rules do not give, ``marron/marron/marron`` never changes, ``en_bois`` is several words. An English
comparative follows in brackets.
"""

ADJECTIVES = """
@ person
young (younger) = jeune <; old (older) = vieux/vieille <; tall (taller) = grand ~
rich (richer) = riche; kind (kinder) = gentil/gentille
happy (happier) = heureux; sad (sadder) = triste; tired = fatigué; famous = célèbre
intelligent = intelligent; poor (poorer) = pauvre
ill = malade; strong (stronger) = fort; brave (braver) = courageux; serious = sérieux
lazy (lazier) = paresseux; shy (shyer) = timide
angry (angrier) = fâché ~; ready = prêt ~; curious = curieux; honest = honnête; polite = poli
funny (funnier) = drôle
jealous = jaloux/jalouse; patient = patient; clumsy (clumsier) = maladroit
proud (prouder) = fier/fière ~; generous = généreux; cruel = cruel
worried = inquiet/inquiète; hardworking = travailleur/travailleuse; French = français
English = anglais; German = allemand
Italian = italien; Spanish = espagnol; blond = blond; bald = chauve; naive = naïf/naïve
mad (madder) = fou/folle; silent = silencieux; sure = sûr ~
late = en_retard/en_retard/en_retard ~; absent = absent ~; busy (busier) = occupé ~
talkative = bavard; stubborn = têtu; cheerful = joyeux; deaf = sourd
blind = aveugle; cautious = prudent; thin (thinner) = mince; Dutch = néerlandais
Greek = grec/grecque; stingy (stingier) = avare; humble (humbler) = humble
charming = charmant; Belgian = belge; lonely = seul ~; widowed = veuf/veuve ~; elegant = élégant
quiet (quieter) = discret/discrète; grumpy (grumpier) = grincheux
@ animal
small (smaller) = petit <; big (bigger) = gros/grosse <; white = blanc/blanche; black = noir
old (older) = vieux/vieille <; young (younger) = jeune <
fast (faster) = rapide; hungry (hungrier) = affamé; dangerous = dangereux; grey = gris
wild = sauvage; brown = marron/marron/marron; faithful = fidèle
injured = blessé; slow (slower) = lent; ugly (uglier) = laid; fierce (fiercer) = féroce
thirsty (thirstier) = assoiffé; greedy (greedier) = gourmand
@ stuff
good = bon/bonne <; fresh (fresher) = frais/fraîche; cold (colder) = froid; hot (hotter) = chaud
delicious = délicieux
excellent = excellent <; bad = mauvais <; organic = bio/bio/bio
@ savoury
salty (saltier) = salé; fresh (fresher) = frais/fraîche
@ sweetened
sweet (sweeter) = sucré; bitter = amer/amère
@ dish
good = bon/bonne <; big (bigger) = gros/grosse <; small (smaller) = petit <; delicious = délicieux
excellent = excellent <; bad = mauvais <; rotten = pourri
@ fruit vegetable
ripe (riper) = mûr; green = vert; yellow = jaune; raw = cru; juicy (juicier) = juteux
@ clothes
new = nouveau/nouvelle <+; red = rouge; black = noir; blue = bleu; white = blanc/blanche
warm (warmer) = chaud; old (older) = vieux/vieille <; green = vert; dirty (dirtier) = sale
pretty (prettier) = joli <; grey = gris; yellow = jaune; clean (cleaner) = propre
brown = marron/marron/marron; pink = rose; elegant = élégant; purple = violet/violette
wet (wetter) = mouillé
orange = orange/orange/orange; dry (drier) = sec/sèche
@ shirt coat trousers jacket skirt sweater
torn = déchiré
@ dress shirt scarf tie glove skirt
silk = en_soie/en_soie/en_soie
@ coat scarf skirt sock glove sweater cap
woollen = en_laine/en_laine/en_laine
@ text art
interesting = intéressant; new = nouveau/nouvelle <+
boring = ennuyeux; beautiful = beau/belle <; old (older) = vieux/vieille <
sad (sadder) = triste
funny (funnier) = drôle; famous = célèbre; strange (stranger) = étrange; magnificent = magnifique
amusing = amusant; incomprehensible = incompréhensible; anonymous = anonyme; unfinished = inachevé
@ text film song concert play opera melody programme symphony documentary
long (longer) = long/longue <; short (shorter) = court
@ device vehicle
new = nouveau/nouvelle <+; old (older) = vieux/vieille <; expensive = cher/chère; modern = moderne
big (bigger) = grand <; electric = électrique; noisy (noisier) = bruyant; small (smaller) = petit <
red = rouge; broken = cassé; black = noir; powerful = puissant
reliable = fiable; useless = inutile; rusty (rustier) = rouillé
second-hand = d'_occasion/d'_occasion/d'_occasion
@ vehicle computer printer
fast (faster) = rapide; slow (slower) = lent
@ portable opening dishes furniture
small (smaller) = petit <; big (bigger) = grand <; old (older) = vieux/vieille <
new = nouveau/nouvelle <+; red = rouge; heavy (heavier) = lourd; beautiful = beau/belle <
blue = bleu; white = blanc/blanche
light (lighter) = léger/légère; black = noir; empty (emptier) = vide; expensive = cher/chère
green = vert; pretty (prettier) = joli <; dirty (dirtier) = sale; broken = cassé
round = rond; strange (stranger) = étrange; clean (cleaner) = propre; square = carré; solid = solide
fragile = fragile; wide (wider) = large; grey = gris; precious = précieux; yellow = jaune
useful = utile; narrow (narrower) = étroit
@ furniture box gate chest doll toy ladder puppet
wooden = en_bois/en_bois/en_bois
@ building shop place room village
big (bigger) = grand <; old (older) = vieux/vieille <; beautiful = beau/belle <
small (smaller) = petit <; new = nouveau/nouvelle <+; quiet (quieter) = calme
dark (darker) = sombre; clean (cleaner) = propre
modern = moderne; noisy (noisier) = bruyant; empty (emptier) = désert; dirty (dirtier) = sale
magnificent = magnifique; abandoned = abandonné; peaceful = paisible; cosy (cosier) = accueillant
huge (huger) = immense
@ building
medieval = médiéval; white = blanc/blanche; solid = solide; royal = royal; haunted = *hanté
gloomy (gloomier) = lugubre
@ nature
big (bigger) = grand <; beautiful = beau/belle <; old (older) = vieux/vieille <
small (smaller) = petit <; magnificent = magnifique; green = vert; wild = sauvage
dangerous = dangereux; huge (huger) = immense; mysterious = mystérieux
@ plant
white = blanc/blanche; yellow = jaune; red = rouge; pretty (prettier) = joli <; rare (rarer) = rare
@ instrument
old (older) = vieux/vieille <; new = nouveau/nouvelle <+; expensive = cher/chère
beautiful = beau/belle <; precious = précieux
@ thought
good = bon/bonne <; important = important; new = nouveau/nouvelle <+; interesting = intéressant
strange (stranger) = étrange; bad = mauvais <; useful = utile; excellent = excellent <
brilliant = génial; original = original; vague (vaguer) = vague
@ question answer problem lesson rule exercise decision theory method equation riddle homework
difficult = difficile; simple (simpler) = simple; easy (easier) = facile; clear (clearer) = clair
long (longer) = long/longue <; complicated = compliqué
@ idea answer theory hypothesis argument explanation
true (truer) = vrai; wrong = faux/fausse; absurd = absurde; dubious = douteux
@ problem mistake decision
serious = grave
@ event
long (longer) = long/longue <; important = important; big (bigger) = grand <; terrible = terrible
short (shorter) = court; interesting = intéressant; unforgettable = inoubliable; annual = annuel
tiring = fatigant
@ meal
good = bon/bonne <; excellent = excellent <; light (lighter) = léger/légère
simple (simpler) = simple; delicious = délicieux; copious = copieux
@ body
dirty (dirtier) = sale ~; cold (colder) = froid ~; clean (cleaner) = propre ~; swollen = enflé ~
@ group
big (bigger) = grand <; small (smaller) = petit <; famous = célèbre; new = nouveau/nouvelle <+
powerful = puissant; divided = divisé
@ sky
beautiful = beau/belle <; magnificent = magnifique
@ cloud
white = blanc/blanche; grey = gris; big (bigger) = gros/grosse <
@ wind rain
cold (colder) = froid
@ sun moon star
bright (brighter) = brillant; pale (paler) = pâle; red = rouge
@ sea
calm (calmer) = calme; cold (colder) = froid
"""
