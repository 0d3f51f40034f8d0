/**
 * How probable the characters of a text are in the languages that an encoding is used for. All values are natural
 * logarithms of probabilities of one character outside ASCII.
 */

/** Letters outside ASCII of the languages of an encoding, most frequent first. */
const western = "éäüöáíóßèçñàêåøïãæâôúëîûùòìýõœ"
const central = "áłíęéąýčřšžěżśćóúůńťďňźöőüűäľôđăţşâîĺŕ"
const turkish = "ıüşğöçİâîû"
const baltic = "āšėēžįčųūīąņļķģęõäöü"
const cyrillic = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїёєъўґ"
const greek = "αοτειςνσρπκηυλίμόάγέθήδχύώβωφξζψϊΐϋΰ"
const hebrew = "יוהלאתרבשמםנדחקעפכןטצסגזךץף"
const arabic = "اليمونترهبدعسفةكقحجأشصخىطزضئإذثءآغظپچگیکؤ"
const thai = "านรกเงมยลว่อัดทสตปะบ้คีิหแจพใชขไุ์ืูผณำธโศซถึ็ภษฟญฐๆฉฝฬฎฏฒ"

const alphabets: Readonly<Record<string, string>> = {
  "windows-1250": central,
  "windows-1251": cyrillic,
  "windows-1252": western,
  "windows-1253": greek,
  "windows-1254": turkish,
  "windows-1255": hebrew,
  "windows-1256": arabic,
  "windows-1257": baltic,
  "iso-8859-2": central,
  cp437: western,
  cp850: western,
  cp852: central,
  cp866: cyrillic,
  cp874: thai,
  "koi8-r": cyrillic,
  "koi8-u": cyrillic,
  "mac-roman": western
}

/** The most frequent characters of simplified Chinese, traditional Chinese, Japanese and Korean. */
const simplified =
  "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取格望觉术领共确传师观清今院让识候带导争运买卖菜饭吃喝车费单钱请谢早晚周午星期读写笔录议项划作用户密码字符串函值属性列表注释姓李刘陈王"
const traditional =
  "謝台灣這個們來為國說時會對於過後學現當沒動還進樣開從實軍無與長機關點業將兩間問戰頭體見產東聲員論義認條氣題爾變總電數報結務場計資許統區隊決馬書聽達強難權設記據邊張該規萬覺術領確傳師觀讓識帶導爭運買賣給話車議單錢麼發經種兒請謝讀寫筆錄項劃碼"
const japanese =
  "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百点教報済書府活原先共得解名交資予川向際面文反元重近千考認画海参売利組知案道信集件団別物使求所次水半品計感特情投示変打男基私始島直両朝価式確提運終西台広電住能無再位置真流有口過局少町常校料工建語空職土止送切由説食車何南番術備配店早買屋谷村橋森林松竹石藤佐木井肉魚牛乳卵洗濯飯飲読録帰友母父病薬駅阪号"
const korean =
  "이다는을의에가고하로지기은를한도서리사어자인시아나대라들과해그일수있정스보부장전제것주요여상으구조만면성게모우안소동신원공세무비마내등적유계오경생문방미중학교회국위민관년명연용화점식선당말음러치실물진드개트저결거와된되했었였습니까려던데며더또터할때없같바내입출력하세감체레프크테타파카토노양강남북산역반불발분복배영김박최야예외운울업엄언얼얻않알았약열월왜작잘재좋질집차처천청초추출친커피코쓰씨쓸책축통특팀편평포표품필함항합행향험형호확활황후료리표록목메람말망맞매번변별병본봉빠빵빌밥밤날낮났냐너네녀논놀높누눈느능니님단달담답덕돈돌두둘뒤듣디따뜻란락래량런렇렸령례론류률르른름릭린림링막많머먹먼몇몰못뭐믿및밖받벌법빛살색설섬섭세속손송술숙순쉬승심십싶쓴잡저절접졌족존종좌죄줄즈증직찾채척철총충취층칠켜큰클킬탁탕태택턴투팔패퍼페폐폭풍허현혈협혼홍환획효흐흔희힘"

const frequent: Readonly<Record<string, ReadonlySet<string>>> = {
  gb18030: new Set(simplified),
  big5: new Set(simplified + traditional),
  cp932: new Set(japanese),
  "euc-jp": new Set(japanese),
  cp949: new Set(korean)
}

const ranks = new Map(
  Object.entries(alphabets).map(([key, letters]) => [
    key,
    new Map([...letters].map((letter, rank) => [letter, rank] as const))
  ])
)

/** Each letter of an alphabet is about a tenth less frequent than the one before it; the probabilities add up to one. */
const ofRank = (rank: number): number => Math.log(0.1) - rank / 10

const usualSigns = /[“”‘’–—…«»„•°©®™€£§№·\u00a0]/
/** Signs that are more frequent in texts of Western languages than in others. */
const westernSigns = /[±½¼¾×÷µ²³¹¡¿¥¢‹›‚´ªº†‡−]/
const wideSigns = /[\u3000-\u3011，。、：；？！（）～“”‘’…—・「」『』《》]/

const letterIn = (letter: string, key: string, common: ReadonlySet<string>): number => {
  const wide = frequent[key]
  if (wide === undefined) {
    const rank = ranks.get(key)?.get(letter) ?? ranks.get(key)?.get(letter.toLowerCase())
    if (rank !== undefined) return ofRank(rank)
    if (/[[\p{L}\p{M}]--[µªº]]/v.test(letter)) return Math.log(1 / 2_000)
    if (usualSigns.test(letter)) return Math.log(1 / 40)
    return Math.log(!westernSigns.test(letter) ? 1 / 5_000 : alphabets[key] === western ? 1 / 50 : 1 / 400)
  }
  if (wideSigns.test(letter)) return Math.log(1 / 60)
  const isJapanese = key === "cp932" || key === "euc-jp"
  if (wide.has(letter)) return Math.log(isJapanese ? 1 / 1_000 : 1 / 500)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(letter) && !/[\uff61-\uff9f]/.test(letter)) {
    return Math.log(isJapanese ? 1 / 80 : 1 / 20_000)
  }
  if (isJapanese && /[\uff66-\uff9f]/.test(letter)) return Math.log(1 / 500)
  if (/\p{Script=Hangul}/u.test(letter)) return Math.log(key === "cp949" ? 1 / 40_000 : 1e-6)
  if (key === "cp949") return Math.log(1e-6)
  if (/\p{Script=Han}/u.test(letter)) return Math.log(common.has(letter) ? 1 / 8_000 : 1 / 200_000)
  return Math.log(1 / 20_000)
}

/** An ASCII character has a cost too: in a two-byte encoding its byte can be the second one of a character. */
const ofAscii = Math.log(1 / 25)
const noText = Math.log(1e-6)
/** The cost of a letter in a place where its language hardly ever has it. */
const misplaced = Math.log(1 / 30)

const thaiVowels = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/
const thaiConsonants = /[\u0e01-\u0e2e]/

/** Letters outside ASCII that are words by themselves: и, в, η, à. */
const wordsOfOneLetter = /[авикоусяіηοήàáéèóòö]/i

const withoutVowels = /^(?:[бвгджзйклмнпрстфхцчшщъьґ]+|[βγδζθκλμνξπρσςτφχψ]+|[ก-ฮ]{4,})$/i
/** Letters of Spanish, Portuguese and French before letters that do not follow them. */
const misspelt = /ñ[b-df-hj-np-tv-xz]|õ[^ei]|œ[bgjkmpqvwxz]/i

/** The cost of the form of a word with letters outside ASCII: words are lower case, capitalised or all in capitals. */
const formOf = (word: string): number => {
  let cost = 0
  const isCapital = word === word.toUpperCase() && word !== word.toLowerCase()
  const letters = [...word]
  for (const [index, letter] of letters.entries()) {
    const before = letters[index - 1]
    if (!isCapital && index > 0 && /\p{Lu}/u.test(letter)) cost += misplaced
    if (before === undefined) continue
    const isThai = thaiConsonants.test(before) || thaiVowels.test(before)
    if (thaiVowels.test(letter) && !isThai) cost += misplaced
    if (/[เ-ไ]/.test(before) && !thaiConsonants.test(letter)) cost += misplaced
    // Words in Latin letters seldom have two accents side by side.
    if (letter > "\x7f" && before > "\x7f" && /\p{Script=Latin}/u.test(letter)) cost += Math.log(1 / 2.5)
    const isLatin = /\p{Script=Latin}/u.test(letter)
    if (isLatin !== /\p{Script=Latin}/u.test(before) && !/\p{M}/u.test(letter)) cost += misplaced
  }
  const [first = ""] = letters
  if (thaiVowels.test(first)) cost += misplaced
  const isOneLetter = letters.length === 1
  if (isOneLetter) cost += wordsOfOneLetter.test(word) ? Math.log(1 / 8) : misplaced
  else if (!isCapital && /\p{Lu}/u.test(first)) cost += Math.log(1 / 3)
  if (letters.length > 1 && !isCapital && withoutVowels.test(word)) cost += Math.log(1 / 10)
  if (misspelt.test(word)) cost += misplaced
  // Greek words of some length in lower case have one accent.
  if (!isCapital && letters.length > 2 && /\p{Script=Greek}/u.test(word)) {
    if ((word.match(/[άέήίόύώΐΰΆΈΉΊΌΎΏ]/g) ?? []).length !== 1) cost += Math.log(1 / 8)
  }
  return cost
}

/** The logarithm of the probability of a decoded text; `common` has the common characters of national standards. */
export const likelihood = (text: string, key: string, common: ReadonlySet<string>): number => {
  let sum = 0
  for (const letter of text) {
    if (letter <= "\x7f") sum += ofAscii
    else sum += /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u.test(letter) ? noText : letterIn(letter, key, common)
  }
  if (frequent[key] !== undefined) {
    const joined =
      text.match(/[a-z](?=[\p{Script=Han}\p{Script=Hangul}])|[\p{Script=Han}\p{Script=Hangul}](?=[a-z])/giu) ?? []
    return sum + joined.length * Math.log(1 / 5)
  }
  sum += (text.match(/[£¥¢¼½¾¤¦§¶†‡‰•][a-z]|[±½¼¾×÷²³°¡¿¥¢]{2}/gi) ?? []).length * misplaced
  const words = [...text.matchAll(/[[\p{L}\p{M}]--[µªº]]+/gv)]
    .map(([word]) => word)
    .filter((word) => /[^ -~]/.test(word))
  for (const word of words) sum += formOf(word)
  if (words.length > 0 && words.every((word) => /^\P{Script=Latin}$/u.test(word))) sum += misplaced
  const hasCapitals = words.some((word) => word.length > 1 && word === word.toUpperCase() && /\p{Lu}/u.test(word))
  return sum + (hasCapitals ? Math.log(1 / 6) : 0)
}

/** Whether a character is kana or among the frequent ones of Chinese or Japanese. */
export const isFrequent = (letter: string): boolean =>
  /[\u3041-\u30fe]/.test(letter) || ["big5", "cp932"].some((key) => frequent[key]?.has(letter))
