"""The verbs of the built-in language, in blocks by what they need beside a subject.

A line reads ``subjects | English | French | what follows``; the frequent verbs come first. The
two middle parts name the verb and whatever goes with it, up to the preposition before the object:
``be afraid of | avoir peur de``. English gives ``eat/ate/eaten`` where the rules do not; ``~``
marks a state (no "-ing" form; its past is the imperfect), ``-`` an act without an "-ing" form,
``turn *on`` a particle that follows a pronoun ("turn it on").
"""

VERBS = """
@ transitive
person | ~have/had/had | avoir | portable clothes device pet drivable text instrument
person | buy/bought/bought | acheter | food dish clothes portable text device furniture plant dishes
person | look at | regarder | portable art animal building person seen text nature
person | eat/ate/eaten | manger | dish food dessert picnic snack
person | eat/ate/eaten | prendre | breakfast lunch dinner
person | ~want | vouloir | dish food portable clothes
person | look for | chercher | portable clothes text person pet shop
person | -find/found/found | trouver | portable clothes text person answer pet money
person | drink/drank/drunk | boire | drink
person | read/read/read | lire | text
person | ~need | avoir besoin de | portable money clothes advice device dishes
person | take/took/taken | prendre | transit portable dessert drink decision text
person | write/wrote/written | écrire | written
person | wait for | attendre | person transit answer
person | open | ouvrir | opening
person | close | fermer | opening
person | -lose/lost/lost | perdre | portable clothes money text
person | sell/sold/sold | vendre | vehicle house flat food dish portable sold furniture clothes cow
person | wear/wore/worn | porter | clothes
person | watch | regarder | football tennis rugby film programme match documentary cartoon play
person | listen to | écouter | person song radio melody wind
person | -meet/met/met | rencontrer | person
person | ~know/knew/known | connaître | person village song
person | ~know/knew/known | savoir | truth answer rule lesson
person | ~understand/understood/understood | comprendre | query thought person text
person | visit | visiter | church palace tower lighthouse museum village cathedral castle zoo
person | visit | rendre visite à | person
person | call | appeler | person
person | wash | laver | clothes dishes vehicle fruit vegetable opening pet
person | cut/cut/cut | couper | bread cake cheese tree vegetable rope meat fruit
person | ~love | aimer | person art animal
person | put/put/put *on | mettre | clothes
person | clean | nettoyer | room furniture dishes device opening
person | -forget/forgot/forgotten | oublier | word portable secret clothes lesson mistake
person | help | aider | person
person | use | utiliser | device tool dishes dictionary map
person | break/broke/broken | casser | dishes toy glasses device opening
person | play | jouer à | game
person | play | jouer de | instrument
person | answer | répondre à | person query letter message
person | think/thought/thought about | penser à | person holidays problem war dream
person | finish | finir | text homework meal exercise
person | learn/learnt/learnt | apprendre | lesson poem word song rule truth
person | prepare | préparer | meal dish exam trip soup salad coffee party
person | turn *on | allumer | electric
person | turn *off | éteindre | electric
person | make/made/made | faire | cake mistake jam trip soup bread drawing
person | paint | peindre | portrait wall door nature building painting
person | sing/sang/sung | chanter | song
person | ask for | demander | bread money advice menu water salt information
person | feed/fed/fed | nourrir | animal
person | follow | suivre | person path river vehicle advice rule
person | ~remember | se souvenir de | person trip dream word secret holidays song party
person | drive/drove/driven | conduire | drivable
person | repair | réparer | device vehicle clock building toy
person | leave/left/left | quitter | person room village place
person | spend/spent/spent | dépenser | money
person | steal/stole/stolen | voler | portable sold money car bicycle
person | build/built/built | construire | building
person | choose/chose/chosen | choisir | dish clothes art text portable plan
person | ~be afraid of | avoir peur de | animal war dog exam storm dentist
person | carry | porter | portable basket box furniture
person | draw/drew/drawn | dessiner | animal nature building person plant
person | hide/hid/hidden | cacher | portable text money truth
person | invite | inviter | person
person | -thank | remercier | person
person | ~believe | croire | person story
person | -miss | rater | transit
person | -save | sauver | person animal
person | -save | économiser | money
person | run/ran/run | diriger | shop factory school hospital
person | translate | traduire | written word sentence proverb
person | explain | expliquer | thought rule theory
person | talk about | parler de | art event person thought trip
person | -solve | résoudre | query
person | cook | faire cuire | vegetable meat fish rice pasta egg
person | grow/grew/grown | cultiver | vegetable plant fruit
person | pick | cueillir | fruit flower rose tulip lily daisy poppy violet
person | -receive | recevoir | written present parcel
person | lend/lent/lent | prêter | portable money
person | burn | brûler | written photo
person | climb | escalader | mountain wall rock volcano cliff
person | cross | traverser | river forest street square bridge desert field
person | keep/kept/kept | garder | secret portable money
person | -drop | laisser tomber | dishes portable egg
person | organise | organiser | event show
person | -win/won/won | gagner | match race election war trial
person | -refuse | refuser | present answer plan
person | sew/sewed/sewn | coudre | clothes curtain
person | iron | repasser | shirt dress trousers skirt apron uniform tablecloth
person | cancel | annuler | meeting trip concert wedding class
person | obey | obéir à | rule judge king father mother
person | water | arroser | plant flower vegetable garden
person | borrow | emprunter | portable text money tool
person | describe | décrire | art person dream nature
person | -hear/heard/heard | entendre | bird song wind storm clock melody
person | -see/saw/seen | voir | person animal art building nature seen vehicle
person | fill | remplir | glass bottle basket jug suitcase cup
person | peel | éplucher | potato carrot apple onion orange
person | catch/caught/caught | attraper | ball mouse thief fish bird
person | copy | copier | text sentence drawing
person | weigh | peser | parcel suitcase flour
person | hang/hung/hung | accrocher | painting mirror coat photo clock
person | ~trust | faire confiance à | person doctor
person | ~doubt | douter de | theory truth answer hypothesis explanation
person | polish | cirer | shoe boot
person | unlock | déverrouiller | door gate chest
person | knit/knitted/knitted | tricoter | sweater scarf sock glove
person | admire | admirer | art person nature building seen
person | -betray | trahir | friend king secret country
person | ~deserve | mériter | holidays answer present meal
person | ~own | posséder | building vehicle art animal island
person | photograph | photographier | animal building nature seen person
person | -greet | saluer | person
person | heal | soigner | patient animal soldier
person | hunt | chasser | animal
person | criticise | critiquer | art text plan government theory
person | sweep/swept/swept | balayer | courtyard kitchen room terrace
person | light/lit/lit | allumer | candle lantern oven
animal | eat/ate/eaten | manger | bread cheese apple fruit vegetable meat
animal | drink/drank/drunk | boire | water milk
animal | look at | regarder | animal person moon
animal | follow | suivre | person animal
animal | -hear/heard/heard | entendre | wind person animal
animal | ~be afraid of | avoir peur de | animal storm lightning
animal | bite/bit/bitten | mordre | person animal
animal | -find/found/found | trouver | egg bread apple mushroom
group | organise | organiser | event
group | -win/won/won | gagner | match race
group | prepare | préparer | show trip meeting
group | reject | rejeter | plan theory decision
vehicle | cross | traverser | village bridge forest
vehicle | follow | suivre | path river
cloud fog snow | cover | couvrir | mountain village field

@ ditransitive
person | give/gave/given | donner | portable money advice dish answer text
person | show/showed/shown | montrer | art portable text nature building
person | send/sent/sent | envoyer | written parcel money present
person | offer | offrir | present flower rose tulip lily jewel clothes text
person | lend/lent/lent | prêter | money portable drivable text clothes
person | sell/sold/sold | vendre | vehicle sold house flat
person | tell/told/told | raconter | tale dream secret
person | explain | expliquer | query rule theory method
person | return | rendre | money portable text
person | -promise | promettre | present money answer
person | read/read/read | lire | tale poem letter
person | sing/sang/sung | chanter | song
person | bring/brought/brought | apporter | drink food meal portable
person | serve | servir | drink soup dessert
person | teach/taught/taught | enseigner | rule method song
person | -confess | avouer | truth mistake
person | -entrust | confier | secret key

@ intransitive
person animal | sleep/slept/slept | dormir | where
person | work | travailler | where
person | sing/sang/sung | chanter | where
person | cry | pleurer |
person | smile | sourire |
person | laugh | rire |
person | dance | danser | where
person | wait | attendre | where
person animal | eat/ate/eaten | manger | where
person | get/got/got up | se lever | when
person | travel | voyager |
person | lie/lay/lain down | se coucher |
person animal | rest | se reposer | where
person | study | étudier | where
person | get/got/got dressed | s'habiller |
person | wake/woke/woken up | se réveiller | when
person | hurry | se dépêcher |
person | read/read/read | lire | where
person | shout | crier |
person | lie/lied/lied | mentir |
person | ~be bored | s'ennuyer | where
person animal | swim/swam/swum | nager |
person | have/had/had a good time | s'amuser | where
person | get/got/got angry | se fâcher |
person | ~be hungry | avoir faim |
person | ~be thirsty | avoir soif |
person | ~be right | avoir raison |
person | ~be wrong | avoir tort |
person | ~be sleepy | avoir sommeil |
person animal | ~be cold | avoir froid |
person | ~be hot | avoir chaud |
person | ~be lucky | avoir de la chance |
person | get/got/got married | se marier |
person | wash | se laver |
person | shave | se raser |
person | sit/sat/sat down | s'asseoir |
person | -faint | s'évanouir |
person | -be/was/been mistaken | se tromper |
person | have/had/had dinner | dîner |
person | go/went/gone home | rentrer |
person | have/had/had lunch | déjeuner |
person | pray | prier |
person | cough | tousser |
person | snore | ronfler |
person | -succeed | réussir |
person | apologise | s'excuser |
person | complain | se plaindre |
person | -hesitate | hésiter |
person | sneeze | éternuer |
person animal | run/ran/run away | s'enfuir |
person | -give/gave/given up | abandonner |
person | go/went/gone for a walk | se promener |
person | smoke | fumer |
person animal | hide/hid/hidden | se cacher |
person | swim/swam/swum | se baigner |
animal | run/ran/run | courir | outside
bird | fly/flew/flown | voler |
bird | sing/sang/sung | chanter |
pet | scratch | se gratter |
animal | limp | boiter |
device | work | marcher |
device | break/broke/broken down | tomber en panne |
vehicle | break/broke/broken down | tomber en panne |
vehicle | stop | s'arrêter |
vehicle | slow down | ralentir |
transit | leave/left/left | partir |
transit | -arrive | arriver |
plane helicopter | take/took/taken off | décoller |
boat ferry | sink/sank/sunk | couler |
plant | grow/grew/grown | pousser |
plant | bloom | fleurir |
food dish | burn | brûler |
food | ~smell/smelt/smelt good | sentir bon |
shop | open | ouvrir |
shop | close | fermer |
event show | begin/began/begun | commencer |
event show | end | se terminer |
event | -last | durer |
sun moon | shine/shone/shone | briller |
star | shine/shone/shone | briller |
snow rain | fall/fell/fallen | tomber |
wind | blow/blew/blown | souffler |
portable dishes | fall/fell/fallen | tomber |
opening | creak | grincer |
building | collapse | s'effondrer |
building | burn | brûler |
family team choir orchestra | travel | voyager |
army crowd police | arrive | arriver |
government committee jury | -hesitate | hésiter |
army government | give/gave/given in | céder |
nature river stream | freeze/froze/frozen | geler |

@ motion
person | go/went/gone | aller | to
person | come/came/come back | revenir | from
person | -arrive | arriver | at
person | go/went/gone back | retourner | to
person | walk | aller à pied | to
person | come/came/come | venir | from
person | stay | rester | at
person | go/went/gone into | entrer dans | into
person | go/went/gone out of | sortir de | into
person | ~live | habiter | at
animal | go/went/gone into | entrer dans | into
animal | come/came/come out of | sortir de | into
transit | -arrive | arriver | at
transit | come/came/come | venir | from

@ infinitive
person | ~can | pouvoir |
person | ~want to | vouloir |
person | ~must | devoir |
person | ~have/had/had to | devoir |
person | ~would like to | vouloir |
person | try to | essayer de |
person | begin/began/begun to | commencer à |
person | -decide to | décider de |
person | ~hope to | espérer |
person | -forget/forgot/forgotten to | oublier de |
person | learn/learnt/learnt to | apprendre à |
person | -refuse to | refuser de |
person | ~like to | aimer |
person | -promise to | promettre de |
person | ~prefer to | préférer |
person | ~know/knew/known how to | savoir |
person | ~hate to | détester |
person | -agree to | accepter de |
person | continue to | continuer à |
person | -hesitate to | hésiter à |
person | ~be afraid to | avoir peur de |
person | ~need to | avoir besoin de |
person | -manage to | réussir à |
person | prepare to | se préparer à |
person | ~dare to | oser |
person | pretend to | faire semblant de |
person | ~intend to | avoir l' intention de |
person | ~dream/dreamt/dreamt of being able to | rêver de pouvoir |
person | offer to | proposer de |

@ clause
person | ~think/thought/thought that | penser que |
person | ~know/knew/known that | savoir que |
person | say/said/said that | dire que |
person | ~hope that | espérer que |
person | ~believe that | croire que |
person | ~be sure that | être sûr que |
person | -forget/forgot/forgotten that | oublier que |
person | explain that | expliquer que |
person | -notice that | remarquer que |
person | ~remember that | se souvenir que |
person | -announce that | annoncer que |
person | claim that | prétendre que |
person | -swear/swore/sworn that | jurer que |
person | ~imagine that | imaginer que |
person | -admit that | admettre que |
person | -guess that | deviner que |
person | ~feel/felt/felt that | sentir que |

@ taste
person | ~like | aimer | food dish drink animal
person | ~hate | détester | food dish drink animal exam war
person | ~prefer | préférer | food dish drink
person | ~love | adorer | food drink animal art

@ body
person | wash | se laver | hand face foot hair
person | brush | se brosser | tooth hair
person | -break/broke/broken | se casser | leg arm finger nose wrist
person | -hurt/hurt/hurt | se blesser à | hand knee foot head shoulder
person | wipe | s'essuyer | hand face nose foot
person | -cut/cut/cut | se couper | finger hair
person | -twist | se tordre | ankle knee wrist
person | rub | se frotter | eye hand nose elbow
person | shave | se raser | head leg
person | scratch | se gratter | head ear back

@ missing
person | -miss | manquer à |
"""
