import { stemmer as danish } from "@orama/stemmers/danish"
import { stemmer as dutch } from "@orama/stemmers/dutch"
import { stemmer as english } from "@orama/stemmers/english"
import { stemmer as finnish } from "@orama/stemmers/finnish"
import { stemmer as french } from "@orama/stemmers/french"
import { stemmer as german } from "@orama/stemmers/german"
import { stemmer as hungarian } from "@orama/stemmers/hungarian"
import { stemmer as italian } from "@orama/stemmers/italian"
import { stemmer as norwegian } from "@orama/stemmers/norwegian"
import { stemmer as portuguese } from "@orama/stemmers/portuguese"
import { stemmer as romanian } from "@orama/stemmers/romanian"
import { stemmer as russian } from "@orama/stemmers/russian"
import { stemmer as spanish } from "@orama/stemmers/spanish"
import { stemmer as swedish } from "@orama/stemmers/swedish"
import { stemmer as turkish } from "@orama/stemmers/turkish"

/** A language by its number, from 1 on; 0 is a language that was not recognised. */
export type Language = number
export const UNKNOWN: Language = 0
export const ENGLISH: Language = 1

/**
 * The larger languages, in the order of their numbers, with their folded function words: articles, pronouns,
 * prepositions, conjunctions, auxiliaries and question words. Function words say little about the topic of a text, and
 * identify its language.
 */
const all: ReadonlyArray<readonly [stem: (word: string) => string, functionWords: string]> = [
  [
    english,
    `a about above after again against all am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don down during each few for from further get
    had has have having he her here hers herself him himself his how i if in into is isn it its itself just ll m me
    more most must my myself no nor not now of off on once only or other our ours ourselves out over own re s same
    shall she should shouldn so some such t than that the their theirs them themselves then there these they this
    those through to too under until up upon us ve very was wasn we were what when where which while who whom whose
    why will with won would wouldn you your yours yourself yourselves`
  ],
  [
    german,
    `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei bin bis bist da
    damit dann das dass dein deine dem den denn der des dich die dies diese dieser dieses dir doch dort du durch ein
    eine einem einen einer eines er es etwas euch euer fur gegen gibt habe haben hat hatte hatten hier hin hinter ich
    ihm ihn ihnen ihr ihre ihrem ihren im in ist ja jede jeder jetzt kann kein keine konnen man mein meine mich mir
    mit muss nach nicht nichts noch nur ob oder ohne sehr sein seine seinem seinen sich sie sind so soll sollen sollte
    sondern uber um und uns unser unter viel viele vom von vor wann war waren warum was weil welche welchem welchen
    welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso wieviel will wir wird wo wofur woher
    wohin womit woran worauf woraus worin worum wovon wozu wurde wurden zu zum zur zwischen`
  ],
  [
    french,
    `a afin ai alors as au aucun aussi autre aux avant avec avez avoir avons bien c ca car ce ceci cela celle
    ces cet cette ceux chaque chez combien comme comment d dans de des dont du elle elles en encore entre es est et
    etaient etait etant ete etre eu fait font hors ici il ils j je l la laquelle le lequel les lesquelles lesquels
    leur leurs lors lui m ma mais me meme mes moi mon n ne ni nos notre nous on ont ou par parce pas peut peuvent plus
    pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous suis sur
    t ta tandis te tes toi ton tous tout toute toutes tres tu un une vers voici voila vos votre vous y`
  ],
  [
    spanish,
    `a adonde al algo algun alguna algunos ante antes como con contra cual cuales cuando cuanta cuantas cuanto
    cuantos de del desde donde dos e el ella ellas ellos en entre era eran eres es esa ese eso esta estaba estado
    estan estar estas este esto estos estoy fue fueron ha habia han has hasta hay he la las le les lo los mas me mi
    mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por porque puede pueden que quien quienes se
    sea ser si sido sin sobre solo son soy su sus tal tambien tan te tiene tienen todo todos tu tus un una uno unos
    usted ya yo`
  ],
  [
    italian,
    `a ad agli ai al alla alle allo anche ancora che chi ci cioe come con contro cosa cosi da dagli dai dal
    dalla dalle dallo degli dei del della delle dello di dove due e ed era erano essere gli ha hai hanno ho i il in io
    la le lei li lo loro lui ma me mi mia mio molto ne negli nei nel nella nelle nello noi non nostro o ogni per
    perche piu po poi puo quale quali quando quanta quante quanti quanto quella quelle quelli quello questa queste
    questi questo qui sara se sei si sia siamo solo sono stata stato su sua sue sugli sui sul sulla sulle sullo suo
    suoi tra tu tua tuo tutti tutto un una uno vi voi`
  ],
  [
    portuguese,
    `a ainda ao aos apenas as ate com como da das de dela dele deles depois do dos e ela elas ele eles em
    entre era essa esse esta estao estar estava este eu foi foram ha isso isto ja la lhe lhes mais mas me mesmo meu
    minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos pode podem por
    porque pra quais qual quando quanta quantas quanto quantos que quem sao se seja sem ser seu seus so sobre sua suas
    tambem te tem tenho ter teu tu tua um uma umas uns voce voces`
  ],
  [
    dutch,
    `aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge
    geen geweest haar had heb hebben heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je jij jouw jullie
    kan kon kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook op
    over reeds te tegen toch toen tot u uit uw van veel voor waar waarin waarmee waarom waarop want waren was wat we
    wel welke werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`
  ],
  [
    swedish,
    `alla allt att av blev bli blir da dar de den denna deras dess dessa det detta dig din dina ditt du efter
    ej eller en er ett for fran genom ha hade han hans har hon honom hur i icke ingen inom inte jag ju kan kunde man
    med mellan men mig min mina mitt mot mycket nagon nagot nar ni nu och om oss pa sa sadan samma sedan sig sin sina
    sitt sjalv skulle som till under upp ut utan vad var vara varfor varit vem vems vi vid vilka vilken vilket vill`
  ],
  [
    norwegian,
    `alle at av bare begge ble blei bli blir da de deg dem den denne der dere deres det dette di din disse
    du eller en er et etter for fordi fra ha hadde han hans har hennes her hun hva hvem hver hvilken hvilket hvis hvor
    hvordan hvorfor i ikke ingen inn ja jeg kan kom kunne man mange med meg mellom men mer min mot mye na nar noe noen
    nok og ogsa om opp oss over pa sa samme seg selv si sin sitt skal skulle slik som til ut uten var vare vart ved vi
    vil ville vore`
  ],
  [
    danish,
    `af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
    eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvilke hvilken hvilket
    hvis hvor hvordan hvorfor i ikke ind jeg jer jo kan kunne man mange med meget men mig min mine mit mod naar nar
    ned nej noget nogle nu og ogsa om op os over pa sa sadan selv sig sin sine sit skal skulle som til ud under vaere
    vaeret var vi vil ville vor`
  ],
  [
    finnish,
    `ei eivat emme en enemman ennen et ette etta han hanen he heidan heilla hyvin ja jo joka jokin jonka jos
    jossa jota jotka kanssa keskella kuin kuinka kuka kun me meidan meilla mika mikaan mina minka minulla minun missa
    mita mitka mukaan mutta myos myoten ne niin niita niiden no noin nuo nyt olen olet oli olivat olla olleet ollut on
    ovat ole se sen sella siina siita silla sina sinun sita taas tahan tai tama tassa tata te tuo vaan vai vain vaikka
    viela voi voidaan`
  ],
  [
    russian,
    `а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее
    если есть еще же за зачем здесь и из или им их к как какая какие какой каком какую когда которая которые который
    кто куда ли либо между меня мне может можно мой мы на над надо нам нас не него нее нет ни них но ну о об один
    однако он она они оно от откуда очень по под после потому почему при про с сам свою себя сейчас сколько со так
    такой там тебя тем теперь то тогда того тоже только том тот ты у уже хотя чего чем что чтобы эта эти это этого
    этой этом этот я`
  ],
  [
    romanian,
    `acea aceasta aceste acest acestea acum ai al ale am ar are as asa au avea ca cand care cat ce cel cele
    cei cine cu cum da daca dar de deci decat deja despre din dintre doar dupa ea ei el ele era este eu fara fi fie
    fiind foarte fost i ia iar il imi in inainte insa intre isi la le li lor lui ma mai mea mei meu mi mult ne nici
    nimic niste noastra noi nostru nu o ori pana pe pentru peste poate prin s sa sau se si spre sub sunt sus ta te
    toate tot toti tu un una unde unei unor unu va voi`
  ],
  [
    hungarian,
    `a ahogy ahol aki akkor alatt amely amelyek ami amig az azert azok azt azutan be bar cikk csak de e
    eddig egesz egy egyeb egyik ehhez ekkor el elott elso en eppen erre ez ezek ezen ezert ezt fel fele ha hanem hat
    hiszen hogy hogyan ide igen igy ill ilyen is itt jo jobban jol kell kellett keresztul ki kivul kozott kozul le
    legyen lehet lenne lenni lesz lett meg mely mert mi miert mig mint mintha mit mivel most nagyon ne nekem nelkul
    nem neha nincs o ok on onnan ott pedig persze s sajat sem semmi sok szamara szemben szerint szinte talan tehat
    teljes ugy ugyanis uj utan valami valo van vannak vagy vagyok viszont volna volt voltak`
  ],
  [
    turkish,
    `acaba ama ancak artik asla aslinda ayrica bana bazi belki ben beni benim beri bile bir biraz bircok biri
    birkac birsey biz bize bizi bizim boyle bu buna bunda bundan bunlar bunu bunun burada cok cunku da daha dahi de
    defa degil diye dolayi eger en etmek fakat gibi gore hala halen hangi hatta hem henuz hep hepsi her hic icin ile
    ilgili ise iste kadar karsin kendi ki kim kimi kimse mi mu nasil ne neden nerede niye o olan olarak oldu oldugu
    olmak olur ona ondan onlar onu onun orada oysa oyle pek ragmen sadece sanki sen seni senin siz size sizi sizin
    sonra su sey tarafindan tum uzere var ve veya ya yani yerine yine yoksa zaten`
  ]
]

const languages: ReadonlyArray<Language> = all.map((_, index) => index + 1)
const bitsOf = (...stems: ReadonlyArray<(word: string) => string>): number =>
  languages.filter((language) => stems.includes(all[language - 1]![0])).reduce((bits, each) => bits | (1 << each), 0)

/** Languages that write compounds as one word, as bits. */
export const COMPOUNDING = bitsOf(german, dutch, swedish, norwegian, danish, finnish)
/** Languages with umlauts that may be written as two letters, as bits. */
export const UMLAUTED = bitsOf(german, swedish, norwegian, danish, finnish, hungarian, turkish)

/** The languages of some bits. */
export const languagesIn = (bits: number): ReadonlyArray<Language> =>
  languages.filter((language) => (bits & (1 << language)) > 0)

/** By function word: the languages that it belongs to, as bits. */
const masks = new Map<string, number>()
for (const language of languages) {
  for (const word of all[language - 1]![1].split(/\s+/)) {
    masks.set(word, (masks.get(word) ?? 0) | (1 << language))
  }
}

/** The languages in which a term is a function word, as bits. */
export const functionMask = (term: string): number => masks.get(term) ?? 0

export const isFunctionWord = (term: string, language: Language): boolean => (functionMask(term) & (1 << language)) > 0

/** The stem that all inflected forms of a word share. A term that is too short or no word is its own stem. */
export const stemOf = (term: string, language: Language): string => {
  if (term.length < 3 || term.length > 40 || !/^\p{L}+$/u.test(term)) return term
  const stem = all[language - 1]?.[0](term) ?? term
  return stem.length < 2 ? term : stem
}

/**
 * The language with the highest weight of function words, if that is at least `least` and clearly the highest.
 * `counts`: per function word its languages, as bits, and its frequency. A word of many languages has little weight.
 */
export const languageOf = (counts: Iterable<readonly [mask: number, times: number]>, least: number): Language => {
  const weights = languages.map(() => 0)
  for (const [mask, times] of counts) {
    const own = languagesIn(mask)
    for (const language of own) weights[language - 1]! += Math.min(times, 20) / own.length
  }
  const [most = 0, second = 0] = weights.toSorted((a, b) => b - a)
  return most >= least && most > 1.1 * second ? weights.indexOf(most) + 1 : UNKNOWN
}

/** The languages of some texts: of most of them, and of all, as bits. */
export interface LanguagesOfNotes {
  readonly most: Language
  readonly all: number
}

/** Returns the languages of notes that are counted by language; English if no language is known. */
export const languagesOf = (notes: ReadonlyMap<Language, number>): LanguagesOfNotes => {
  let best: Language = UNKNOWN
  let most = 0
  let all = 0
  for (const [language, count] of notes) {
    if (language === UNKNOWN) continue
    all |= 1 << language
    if (count > most || (count === most && language < best)) {
      best = language
      most = count
    }
  }
  return best === UNKNOWN ? { most: ENGLISH, all: 1 << ENGLISH } : { most: best, all }
}
