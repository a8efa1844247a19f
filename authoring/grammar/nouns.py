"""The nouns of the built-in language.

A block opens with ``@`` and the types of its nouns, which are what verbs, adjectives and places
ask for. Within a type frequent words come first. An entry reads ``english = french gender``:

- ``man/men``, ``œil/yeux``: a plural that the rules do not give;
- ``bread-``: no plural in English; ``trousers+``: no singular in English;
- gender ``m`` or ``f``; ``mp``, ``fp``: French has only the plural; ``mm``, ``fm``: a mass, with no
  plural in French;
- ``*héros``: an aspirated h, before which nothing is elided;
- ``pomme_de_terre``: several words;
- ``étudiant:étudiante``: one word in English, two in French; only the rest of the sentence tells
  which;
- a word after the gender is one more type of this noun alone.
"""

NOUNS = """
@ man person
man/men = homme m; boy = garçon m; doctor = médecin m; king = roi m; baker = boulanger m
father = père m kin; brother = frère m kin; son = fils/fils m kin; uncle = oncle m kin
grandfather = grand-père/grands-pères m kin; husband = mari m kin; policeman/policemen = policier m
farmer = fermier m; soldier = soldat m; thief/thieves = voleur m; hero/heroes = *héros m
painter = peintre m; writer = écrivain m; prince = prince m; judge = juge m
fisherman/fishermen = pêcheur m
mayor = maire m; nephew = neveu m kin; butcher = boucher m; fireman/firemen = pompier m
priest = prêtre m; carpenter = menuisier m; driver = chauffeur m; gardener = jardinier m
plumber = plombier m; sailor = marin m; grandson = petit-fils/petits-fils m kin
knight = chevalier m
tailor = tailleur m; monk = moine m; hairdresser = coiffeur m; blacksmith = forgeron m
shepherd = berger m; watchmaker = horloger m; godfather = parrain m kin; clown = clown m
@ woman person
woman/women = femme f; girl = fille f; mother = mère f kin; sister = sœur f kin; queen = reine f
daughter = fille f kin; aunt = tante f kin; grandmother = grand-mère/grands-mères f kin
wife/wives = femme f kin
nurse = infirmière f; princess = princesse f; waitress = serveuse f; actress = actrice f
niece = nièce f kin; witch = sorcière f; heroine = héroïne f
midwife/midwives = sage-femme/sages-femmes f
dressmaker = couturière f; nun = religieuse f; granddaughter = petite-fille/petites-filles f kin
godmother = marraine f kin; countess = comtesse f; stewardess = hôtesse f; fairy/fairies = fée f
@ epicene person
friend = ami:amie m kin; neighbour = voisin:voisine m kin; student = étudiant:étudiante m
cousin = cousin:cousine m kin; pupil = élève:élève m; singer = chanteur:chanteuse m
cook = cuisinier:cuisinière m; lawyer = avocat:avocate m; dancer = danseur:danseuse m
musician = musicien:musicienne m; artist = artiste:artiste m; traveller = voyageur:voyageuse m
colleague = collègue:collègue m kin; tourist = touriste:touriste m
journalist = journaliste:journaliste m
engineer = ingénieur:ingénieure m; client = client:cliente m; dentist = dentiste:dentiste m
patient = patient:patiente m; worker = ouvrier:ouvrière m; researcher = chercheur:chercheuse m
librarian = bibliothécaire:bibliothécaire m; pharmacist = pharmacien:pharmacienne m
translator = traducteur:traductrice m; photographer = photographe:photographe m
gymnast = gymnaste:gymnaste m; sculptor = sculpteur:sculptrice m
archaeologist = archéologue:archéologue m
@ animal
dog = chien m pet; cat = chat m pet; horse = cheval m; cow = vache f; sheep/sheep = mouton m
mouse/mice = souris f; rabbit = lapin m pet; pig = cochon m; wolf/wolves = loup m; bear = ours m
fox/foxes = renard m; lion = lion m; elephant = éléphant m; goat = chèvre f; donkey = âne m
monkey = singe m; frog = grenouille f; turtle = tortue f pet; tiger = tigre m
hamster = *hamster m pet
squirrel = écureuil m; snake = serpent m; bull = taureau m; hedgehog = *hérisson m
giraffe = girafe f
mule = mule f; spider = araignée f; ant = fourmi f; bee = abeille f; snail = escargot m
otter = loutre f
@ animal bird
bird = oiseau m; hen = poule f; duck = canard m; owl = *hibou/hiboux m; eagle = aigle m
parrot = perroquet m pet
goose/geese = oie f; swallow = hirondelle f; crow = corbeau m; swan = cygne m; pigeon = pigeon m
seagull = mouette f
@ dish food
apple = pomme f fruit; cake = gâteau m; egg = œuf m; orange = orange f fruit; sandwich = sandwich m
pear = poire f fruit
banana = banane f fruit; tomato/tomatoes = tomate f vegetable
potato/potatoes = pomme_de_terre/pommes_de_terre f vegetable
carrot = carotte f vegetable; strawberry = fraise f fruit; cherry = cerise f fruit
onion = oignon m vegetable
peach = pêche f fruit; omelette = omelette f; tart = tarte f; biscuit = biscuit m
mushroom = champignon m vegetable
bean = *haricot m vegetable; lemon = citron m fruit; pancake = crêpe f; plum = prune f fruit
apricot = abricot m fruit
cabbage = chou/choux m vegetable; melon = melon m fruit; raspberry = framboise f fruit
olive = olive f fruit
oyster = huître f; aubergine = aubergine f vegetable; leek = poireau m vegetable
hazelnut = noisette f fruit
pineapple = ananas m fruit; artichoke = artichaut m vegetable; turnip = navet m vegetable
fig = figue f fruit
@ stuff food
bread- = pain mm; cheese- = fromage mm; soup- = soupe fm savoury; meat- = viande fm savoury
rice- = riz mm; salad- = salade fm
chocolate- = chocolat mm; fish- = poisson mm; butter- = beurre mm savoury; ham- = jambon mm savoury
jam- = confiture fm sweetened
chicken- = poulet mm; sugar- = sucre mm; honey- = miel mm; salt- = sel mm; garlic- = ail mm
oil- = huile fm; spinach- = épinards mp
mustard- = moutarde fm; flour- = farine fm; cream- = crème fm; parsley- = persil mm
pasta- = pâtes fp; grapes+ = raisin mm
@ stuff drink
water- = eau fm; coffee- = café mm sweetened; wine- = vin mm
milk- = lait mm; tea- = thé mm sweetened
beer- = bière fm
orange juice- = jus_d'_orange mm; cider- = cidre mm; lemonade- = limonade fm
champagne- = champagne mm
@ clothes thing
shirt = chemise f; dress = robe f; coat = manteau m; hat = chapeau m; shoe = chaussure f
trousers+ = pantalon m
jacket = veste f; glasses+ = lunettes fp; scarf/scarves = écharpe f; skirt = jupe f
sock = chaussette f; glove = gant m
sweater = pull m; boot = botte f; tie = cravate f; pyjamas+ = pyjama m; belt = ceinture f
cap = casquette f
slipper = pantoufle f; raincoat = imperméable m; apron = tablier m; waistcoat = gilet m
clothes+ = vêtements mp
uniform = uniforme m; shorts+ = short m; swimsuit = maillot_de_bain/maillots_de_bain m
sandal = sandale f
@ text thing
letter = lettre f written; book = livre m written; newspaper = journal m; novel = roman m written
article = article m written
magazine = magazine m; message = message m written; poem = poème m written
report = rapport m written; dictionary = dictionnaire m
page = page f written; story = histoire f written tale; recipe = recette f written
postcard = carte_postale/cartes_postales f written
contract = contrat m written; menu = menu m; biography = biographie f written
leaflet = brochure f written; map = carte f
manuscript = manuscrit m written; encyclopedia = encyclopédie f
diary = journal_intime/journaux_intimes m written
@ device electric thing
lamp = lampe f; telephone = téléphone m; computer = ordinateur m; radio = radio f
television = télévision f; oven = four m; camera = appareil_photo/appareils_photo m
washing machine = machine_à_laver/machines_à_laver f; printer = imprimante f
refrigerator = réfrigérateur m; fan = ventilateur m; projector = projecteur m; light = lumière f
iron = fer_à_repasser/fers_à_repasser m; vacuum cleaner = aspirateur m; heater = radiateur m
keyboard = clavier m
@ device thing
clock = horloge f; alarm clock = réveil m
@ opening thing
door = porte f; window = fenêtre f; box = boîte f portable; drawer = tiroir m
suitcase = valise f portable; gate = portail m
envelope = enveloppe f portable; umbrella = parapluie m portable; cupboard = placard m
shutter = volet m
chest = coffre m; curtain = rideau m; jar = bocal m portable; lid = couvercle m
@ portable thing
key = clé f; bag = sac m; pen = stylo m; knife/knives = couteau m; ring = bague f; watch = montre f
wallet = portefeuille m
ticket = billet m; ball = ballon m toy; doll = poupée f toy; flower = fleur f; pencil = crayon m
basket = panier m; toy = jouet m toy
photo = photo f; luggage- = bagages mp; scissors+ = ciseaux mp; coin = pièce f; notebook = cahier m
passport = passeport m
present = cadeau m; rope = corde f tool; necklace = collier m; jewel = bijou/bijoux m
axe = *hache f tool; hammer = marteau m tool
ladder = échelle f tool; needle = aiguille f tool; shovel = pelle f tool; brush = brosse f tool
handkerchief = mouchoir m
comb = peigne m; purse = porte-monnaie/porte-monnaie m; rake = râteau m tool
kite = cerf-volant/cerfs-volants m toy
puppet = marionnette f toy; marble = bille f toy; compass = boussole f tool
screwdriver = tournevis m tool; saw = scie f tool
telescope = télescope m tool; lantern = lanterne f; candle = bougie f; parcel = colis m
bracelet = bracelet m
earring = boucle_d'_oreille/boucles_d'_oreilles f
@ dishes thing
glass = verre m; plate = assiette f; cup = tasse f; bottle = bouteille f; spoon = cuillère f
fork = fourchette f; bowl = bol m
saucepan = casserole f; frying pan = poêle f; teapot = théière f; tablecloth = nappe f
jug = carafe f; tray = plateau m
@ furniture thing
table = table f; chair = chaise f; bed = lit m; armchair = fauteuil m; mirror = miroir m
carpet = tapis m; sofa = canapé m
desk = bureau m; wardrobe = armoire f; bench = banc m; shelf/shelves = étagère f
cushion = coussin m; stool = tabouret m
chest of drawers/chests of drawers = commode f; furniture- = meubles mp
rocking chair = fauteuil_à_bascule/fauteuils_à_bascule m
@ vehicle
car = voiture f drivable; train = train m transit; bicycle = vélo m; bus = bus m transit drivable
boat = bateau m transit; plane = avion m transit
lorry = camion m drivable; motorbike = moto f; taxi = taxi m drivable; tractor = tracteur m drivable
helicopter = hélicoptère m; cart = charrette f
ferry = ferry m transit; ambulance = ambulance f drivable; van = camionnette f drivable
canoe = canoë m; sledge = traîneau m
@ building
house = maison f; flat = appartement m; castle = château m; church = église f; tower = tour f
bridge = pont m; hut = cabane f
palace = palais m; wall = mur m; cathedral = cathédrale f; mill = moulin m; lighthouse = phare m
barn = grange f; chalet = chalet m
@ shop
bakery = boulangerie f; bank = banque f; restaurant = restaurant m; library = bibliothèque f
museum = musée m; pharmacy = pharmacie f
cinema = cinéma m; hotel = hôtel m; bookshop = librairie f; post office = poste f
supermarket = supermarché m; theatre = théâtre m
butcher's shop = boucherie f; swimming pool = piscine f; town hall = mairie f
fishmonger's shop = poissonnerie f
@ place
school = école f; market = marché m; station = gare f; hospital = hôpital m; park = parc m
beach = plage f; airport = aéroport m
office = bureau m; university = université f; harbour = port m; factory = usine f
stadium = stade mm
court = tribunal m; cemetery = cimetière m; campsite = camping m; zoo = zoo m; prison = prison f
embassy = ambassade f
@ room
kitchen = cuisine f; bedroom = chambre f; garden = jardin m; living room = salon m
bathroom = salle_de_bains/salles_de_bains f
cellar = cave f; courtyard = cour f; attic = grenier m; garage = garage m
dining room = salle_à_manger/salles_à_manger f
corridor = couloir m; entrance hall = *hall m; cloakroom = vestiaire m; terrace = terrasse f
greenhouse = serre f
@ nature
tree = arbre m plant; river = rivière f; mountain = montagne f; forest = forêt f; lake = lac m
field = champ m; hill = colline f
island = île f; valley = vallée f; path = chemin m; rock = rocher m; oak = chêne m plant
waterfall = cascade f; stream = ruisseau m
desert = désert m; cave = grotte f; pond = étang m; glacier = glacier m; meadow = pré m
countryside- = campagne f; hedge = *haie f plant; volcano/volcanoes = volcan m
cliff = falaise f; pine tree = pin m plant; beech = *hêtre m plant; spring = source f
bank = rive f riverside
@ plant
rose = rose f; tulip = tulipe f; lily/lilies = lys m; daisy = marguerite f; sunflower = tournesol m
bush = buisson m; ivy- = lierre mm
rosebush = rosier m; poppy = coquelicot m; violet = violette f; nettle = ortie f; fern = fougère f
@ village
village = village m; town = ville f; region = région f; neighbourhood = quartier m; street = rue f
square = place f; country = pays m
avenue = avenue f; capital = capitale f; hamlet = *hameau m; suburb = banlieue f
@ instrument
piano = piano m; guitar = guitare f; violin = violon m; flute = flûte f; drums+ = batterie fm
harp = *harpe f; trumpet = trompette f
cello = violoncelle m; clarinet = clarinette f; organ = orgue m; accordion = accordéon m
saxophone = saxophone m; oboe = *hautbois m
@ game
football- = football mm; tennis- = tennis mm; chess- = échecs mp; cards+ = cartes fp
rugby- = rugby mm; basketball- = basket mm
ping-pong- = ping-pong mm; volleyball- = volley mm; marbles+ = billes fp; draughts+ = dames fp
golf- = golf mm
@ thought
idea = idée f; question = question f query; answer = réponse f; problem = problème m query
lesson = leçon f; rule = règle f; word = mot m
truth- = vérité fm; plan = projet m; exercise = exercice m query; sentence = phrase f
secret = secret m; mistake = erreur f
decision = décision f; dream = rêve m; advice- = conseils mp; theory = théorie f
homework- = devoirs mp query; argument = argument m
opinion = opinion f; explanation = explication f; proverb = proverbe m; riddle = devinette f query
method = méthode f
hypothesis/hypotheses = hypothèse f; equation = équation f query; habit = habitude f
information- = informations fp; equality- = égalité fm
@ art
film = film m; song = chanson f song; painting = tableau m sold; concert = concert m show
drawing = dessin m sold; play = pièce f show
statue = statue f sold; opera = opéra m show; portrait = portrait m sold; melody = mélodie f song
sculpture = sculpture f sold; programme = émission f
symphony = symphonie f song; lullaby = berceuse f song; exhibition = exposition f show
documentary = documentaire m; cartoon = dessin_animé/dessins_animés m
@ event
party = fête f; meeting = réunion f; class = cours m; match = match m; wedding = mariage m
exam = examen m; war = guerre f
trip = voyage m; race = course f; conference = conférence f; ceremony = cérémonie f
strike = grève f; election = élection f; storm = tempête f
trial = procès m; interview = entretien m; holidays+ = vacances fp; hurricane = ouragan m
dance = bal m; harvest = récolte f
@ meal
breakfast- = petit-déjeuner mm; lunch- = déjeuner mm; dinner- = dîner mm; meal = repas m
dessert = dessert m; picnic = pique-nique m; snack = goûter m
@ body
hand = main f; head = tête f; eye = œil/yeux m; arm = bras m; leg = jambe f; foot/feet = pied m
hair- = cheveux mp; tooth/teeth = dent f
face = visage m; finger = doigt m; back = dos m; nose = nez m; knee = genou/genoux m
ear = oreille f; shoulder = épaule f; ankle = cheville f
elbow = coude m; wrist = poignet m; hip = *hanche f; heel = talon m
@ money
money- = argent mm
@ group
family = famille f; team = équipe f; police+ = police fm; people+ = gens mp; orchestra = orchestre m
crowd = foule f; army/armies = armée f
government = gouvernement m; committee = comité m; choir = chœur m; jury/juries = jury m
@ sky
sun- = soleil mm; moon- = lune fm seen; star = étoile f seen; sky- = ciel mm; cloud = nuage m seen
wind- = vent mm
rain- = pluie fm; snow- = neige fm
fog- = brouillard mm; rainbow = arc-en-ciel/arcs-en-ciel m seen; lightning- = foudre fm
sea- = mer fm seen
comet = comète f seen
"""
