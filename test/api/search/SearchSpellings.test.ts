import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { given } = useApp()

/** Each pair is one word or number, written as separate parts and as one. */
const spellings = [
  ["Wi-Fi password", "wifi"],
  ["the log-in page", "login"],
  ["an on-line shop", "online"],
  ["anti-virus", "antivirus"],
  ["back-up plan", "backup"],
  ["check-in desk", "checkin"],
  ["pre-order now", "preorder"],
  ["set-up guide", "setup"],
  ["follow-up call", "followup"],
  ["un**believ**able story", "unbelievable"],
  ["검색 엔진", "검색엔진"],
  ["an E-Mail came", "email"],
  ["x-ray of a hand", "xray"],
  ["a state-of-the-art lab", "state-of-the-art"],
  ["data base design", "database"],
  ["Tages_zeitung von gestern", "tageszeitung"],
  ["call 030 123 45 67", "0301234567"],
  ["pay DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
  ["dial +44 (20) 7946-0958", "442079460958"],
  ["GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"],
  ["due 2026-08-23", "20260823"],
  ["re-entry", "reentry"],
  ["node.js", "nodejs"],
  ["fetch user by id", "fetchUserById"],
  ["Kühlhaus Überblick", "kuehlhaus ueberblick"],
  ["형태소 분석 도구", "형태소분석도구"],
  ["日本 語", "日本語"]
] as const

const search = async (query: string, notebook_id: string) =>
  given("POST", "/search", { query, notebook_id, limit: 100 })

describe.each([
  ["written apart", 0, 1],
  ["written as one", 1, 0]
])("search in notes with words %s", (_, written, asked) => {
  let notebook: string

  beforeAll(async () => {
    notebook = (await given("POST", "/notebooks", { name: `spellings ${written}` })).id
    for (const pair of spellings) {
      await given("POST", "/notes", { notebook_id: notebook, title: pair[written], body: `${pair[written]}.` })
    }
  })

  const cases = spellings.map((pair) => {
    const words = { "an E-Mail came": "e-mail", "x-ray of a hand": "x-ray", "the log-in page": "log-in" } as Record<
      string,
      string
    >
    const hyphenated = /[\p{L}*]+[-_*]+[\p{L}*-]+/u.exec(pair[0])?.[0].replaceAll("*", "-").replace(/^-|-$/g, "")
    return [
      asked === 1 ? pair[1] : (words[pair[0]] ?? hyphenated ?? pair[0].replace(/^(call|pay|dial|due) | design$/g, "")),
      pair[written]
    ]
  })
  it.each(cases)("%s finds %s without a suggestion", async (query, title) => {
    const { hits, suggestion } = await search(query!, notebook)
    expect([hits[0]?.title, suggestion]).toEqual([title, undefined])
    expect(hits[0].highlights.length).toBeGreaterThan(0)
  })
})
