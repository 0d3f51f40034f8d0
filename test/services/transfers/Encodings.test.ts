import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textOf } from "../../../services/transfers/formats/Decoding.ts"
import { encoded } from "./Encode.ts"
import { fileOf, readAll, reported } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

const russian =
  "# Дневник\n\nСегодня ездили на озеро, купались и жарили рыбу. Вечером шёл дождь, и мы играли в шахматы.\n\n- позвонить врачу\n- купить билеты на поезд\n"
const ukrainian = "# Щоденник\n\nСьогодні їздили до озера, купалися і смажили рибу. Увечері йшов дощ.\n"
const simplified =
  "# 日记\n\n今天早上去了图书馆，借了三本书。下午和朋友一起喝咖啡，聊了很久。\n\n- 给医生打电话\n- 买火车票\n"
const traditional =
  "# 日記\n\n今天早上去了圖書館，借了三本書。下午和朋友一起喝咖啡，聊了很久。\n\n- 打電話給醫生\n- 買火車票\n"
const japanese =
  "# 日記\n\n今朝は図書館に行って、本を三冊借りました。午後は友だちとコーヒーを飲みながら話しました。\n\n- 医者に電話する\n- 切符を買う\n"
const korean =
  "# 일기\n\n오늘 아침에 도서관에 가서 책을 세 권 빌렸습니다. 오후에는 친구와 커피를 마셨습니다.\n\n- 의사에게 전화하기\n- 기차표 사기\n"
const western =
  "# Journal\n\nCe matin, nous sommes allés à la bibliothèque. L’après-midi, café avec Zoë – très agréable…\n\n- téléphoner au médecin\n- Größe für Äpfel prüfen\n"
const polish =
  "# Dziennik\n\nDziś rano poszliśmy do biblioteki i wypożyczyliśmy trzy książki. Później kawa z przyjaciółką.\n\n- zadzwonić do lekarza\n- kupić bilety\n"
const czech = "# Deník\n\nDnes ráno jsme šli do knihovny a půjčili si tři knihy. Večer pršelo a hráli jsme šachy.\n"
const greek =
  "# Ημερολόγιο\n\nΣήμερα το πρωί πήγαμε στη βιβλιοθήκη. Το απόγευμα ήπιαμε καφέ με φίλους.\n\n- τηλέφωνο στον γιατρό\n"
const hebrew = "# יומן\n\nהבוקר הלכנו לספרייה והשאלנו שלושה ספרים. בערב ירד גשם.\n"
const arabic = "# يوميات\n\nذهبنا هذا الصباح إلى المكتبة واستعرنا ثلاثة كتب. في المساء نزل المطر.\n"
const turkish = "# Günlük\n\nBu sabah kütüphaneye gittik ve üç kitap ödünç aldık. Akşam yağmur yağdı, şiir okuduk.\n"

/** Short and long texts. */
const texts: ReadonlyArray<readonly [label: string, ...texts: ReadonlyArray<string>]> = [
  ["windows-1251", "Привет, это заметка", "Заметки о поездке", russian, ukrainian],
  ["koi8-r", "Привет, это заметка", "Покупки на неделю", russian],
  ["ibm866", "Привет, это заметка", russian],
  ["gb18030", "中文内容测试，你好世界", "读书笔记", simplified],
  ["gbk", "明天下午开会", simplified],
  ["big5", "中文內容測試，你好世界", "讀書筆記", traditional],
  ["shift_jis", "日本語のメモです。", "買い物リスト", "ソースコード", japanese],
  ["euc-jp", "日本語のメモです。", "やることリスト", japanese],
  ["euc-kr", "한국어 메모입니다.", "할 일 목록", korean],
  ["windows-1252", "Café à Paris, déjà vu", "résumé", "“It’s fine” – he said", "Schöne Grüße aus Köln", western],
  ["windows-1250", "Zażółć gęślą jaźń", "Cześć, jak się masz?", polish, czech],
  ["iso-8859-2", "Zażółć gęślą jaźń", polish],
  ["windows-1253", "Καλημέρα, αυτή είναι μια σημείωση", "Ιδέες", greek],
  ["windows-1254", "İstanbul'da güneşli bir gün", turkish],
  ["windows-1255", "שלום", "רשימת קניות", hebrew],
  ["windows-1256", "قائمة التسوق", arabic],
  ["macintosh", "Schöne Grüße aus Köln", western.replace("Zoë", "Zoe")],
  ...(["utf-16le", "utf-16be"] as const).map(
    (label) =>
      [
        label,
        "Café à Paris, déjà vu",
        "日本語のメモです。",
        "中文内容测试",
        "한국어 메모입니다.",
        "Привет",
        russian,
        simplified,
        traditional,
        japanese,
        korean,
        western,
        greek,
        hebrew,
        arabic
      ] as const
  )
]

const cases = texts.flatMap(([label, ...all]) =>
  all.map((text) => ({ label, text, shown: JSON.stringify(text.slice(0, 24)) }))
)

describe("text without a declared encoding", () => {
  it.each(cases)("is decoded from $label: $shown", async ({ label, text }) => {
    const { assumed, isRepaired, text: read } = await textOf(encoded(text, label))
    expect({ read, isRepaired }).toEqual({ read: text, isRepaired: false })
    expect(assumed).toEqual(expect.any(String))
  })

  it("is decoded from ISO-2022-JP", async () => {
    const bytes = Buffer.from("memo: \x1b$BF|K\\8l\x1b(B\n", "latin1")
    expect(await textOf(bytes)).toEqual({
      text: "memo: 日本語\n",
      isRepaired: false,
      assumed: "ISO-2022-JP (Japanese)"
    })
  })

  it("is reported with the assumed encoding", async () => {
    const got = await readAll(fileOf("note.md", encoded(russian, "windows-1251")), "markdown")
    expect(got.notes[0]?.body).toBe(russian)
    expect(got.problems).toMatchObject([{ file: "note.md", code: "encoding_assumed" }])
    expect(got.problems[0]?.message).toContain("windows-1251 (Cyrillic)")
  })

  it("is decoded by its first lines that are not ASCII, at any position", async () => {
    const text = `${"plain words\n".repeat(20_000)}${russian}`
    expect((await textOf(encoded(text, "koi8-r"))).text).toBe(text)
  })

  it("is read to the end when some bytes are invalid, and reported", async () => {
    const bytes = Buffer.concat([encoded(simplified, "gbk"), Buffer.from([0xff]), encoded("\n结束\n", "gbk")])
    const { isRepaired, text } = await textOf(bytes)
    expect(text).toContain(simplified)
    expect(text).toContain("结束")
    expect(isRepaired).toBe(true)
  })
})

describe("text in UTF-8", () => {
  it.each([russian, simplified, traditional, japanese, korean, western, polish, greek, hebrew, arabic, turkish])(
    "is never taken for another encoding: %j",
    async (text) => {
      expect(await textOf(Buffer.from(text))).toEqual({ text, isRepaired: false })
    }
  )

  it("is decoded as UTF-8 whatever its content is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), async (text) => {
        // oxlint-disable-next-line no-control-regex
        fc.pre(!/[\0-\x08\x0b-\x1f\x7f\ufeff\ufffe\uffff]/.test(text))
        expect(await textOf(Buffer.from(text))).toEqual({ text: text.replace(/^\ufeff/, ""), isRepaired: false })
      })
    )
  })
})

describe("archive names without a declared encoding", () => {
  const named = (label: string, names: ReadonlyArray<string>) =>
    readAll(
      fileOf("vault.zip", zipOf(names.map((name) => ({ name: encoded(name, label), content: "see ![](图片.png)" })))),
      "markdown"
    )

  it.each([
    ["gbk", ["中文笔记/测试.md", "工作/会议记录.md"]],
    ["gbk", ["新建文本文档.md"]],
    // Bytes that are UTF-8 by chance.
    ["gbk", ["学习.md", "工作计划.md", "读书笔记.md"]],
    ["shift_jis", ["日本語ノート.md", "買い物リスト.md"]],
    ["shift_jis", ["メモ.md"]],
    ["big5", ["讀書筆記.md", "會議記錄.md"]],
    ["euc-kr", ["새 폴더/회의록.md"]],
    ["ibm866", ["Заметки/Привет.md", "Новый документ.md"]],
    ["windows-1251", ["Заметки/Привет.md", "Список покупок.md"]],
    ["windows-1252", ["résumé.md", "Größe.md"]],
    ["windows-1250", ["Zażółć gęślą jaźń.md"]]
  ])("in %s are decoded together: %j", async (label, names) => {
    const got = await named(label, names)
    expect(got.notes.map(({ original }) => original.path)).toEqual(names)
    expect(got.problems.filter(({ code }) => code === "encoding_assumed")).toHaveLength(1)
  })

  it("are found by links to these files", async () => {
    const names = ["中文笔记/测试.md", "中文笔记/图片.png"]
    const got = await named("gbk", names)
    expect(got.files.map(({ filename, uses }) => [filename, uses[0]?.note])).toEqual([["图片.png", "中文笔记/测试.md"]])
    expect(reported(got)).toEqual([": encoding_assumed"])
  })

  it("are replaced by the Unicode names that Info-ZIP adds", async () => {
    const got = await readAll(
      fileOf("vault.zip", zipOf([{ name: Buffer.from("?????.md"), unicodeName: "Заметка.md", content: "x" }])),
      "markdown"
    )
    expect(got.notes.map(({ title }) => title)).toEqual(["Заметка"])
    expect(reported(got)).toEqual([])
  })

  it("are decoded as UTF-8 when most of them are", async () => {
    const entries = ["Ärger.md", "Öl.md", "Übung.md"].map((name) => ({ name: Buffer.from(name), content: "x" }))
    const got = await readAll(
      fileOf("vault.zip", zipOf([...entries, { name: Buffer.from("Gr\xfc\xdfe.md", "latin1"), content: "x" }])),
      "markdown"
    )
    expect(got.notes.map(({ title }) => title)).toEqual(["Ärger", "Öl", "Übung", "Grüße"])
  })

  it.each([
    ["cp437", "Gr\x81\xe1e", "Grüße"],
    ["windows-1252", "caf\xe9", "café"]
  ])("are UTF-8 if they are valid UTF-8, and some other name is in %s", async (_, bytes, other) => {
    const names = ["Müller", "日本語", "Übung"]
    for (const name of names) {
      const entries = [Buffer.from(`${name}.md`), Buffer.from(`${bytes}.md`, "latin1")]
      const got = await readAll(
        fileOf("vault.zip", zipOf(entries.map((each) => ({ name: each, content: "x" })))),
        "markdown"
      )
      expect(got.notes.map(({ title }) => title)).toEqual([name, other])
      expect(got.problems.map(({ message }) => message)).toEqual([expect.stringContaining("of 1 names")])
    }
  })
})
