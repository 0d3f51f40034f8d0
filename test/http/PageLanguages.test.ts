import { beforeAll, describe, expect, it } from "vitest"
import { languageFor } from "../../src/server/http/responses/Accept.ts"
import { chinese } from "../../src/server/http/pages/languages/ChinesePages.ts"
import { english } from "../../src/server/http/pages/languages/EnglishPages.ts"
import { french } from "../../src/server/http/pages/languages/FrenchPages.ts"
import { german } from "../../src/server/http/pages/languages/GermanPages.ts"
import { spanish } from "../../src/server/http/pages/languages/SpanishPages.ts"
import { unlike } from "../support/Translated.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()
let origin: string
beforeAll(() => {
  origin = new URL(app.url).origin
})

const ask = async (path: string, language: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
  const response = await fetch(origin + path, {
    redirect: "manual",
    ...init,
    headers: { accept: "text/html", "accept-language": language, ...headers }
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe("pages of the server", () => {
  it.each([
    ["German", german],
    ["French", french],
    ["Spanish", spanish],
    ["Chinese", chinese]
  ])("in %s have each text of the English ones, and none that is empty or still English", (_, texts) => {
    // Functions of these sentences need a code.
    const { fieldProblem, problem, ...others } = texts
    const { fieldProblem: _field, problem: _problem, ...own } = english
    const wrong = unlike(own, others)
    expect(wrong.different).toEqual([])
    expect(wrong.empty).toEqual([])
    expect(wrong.equal).toEqual([])
    expect(problem("not_found", "No such note")).toMatch(/\S[.。]$/)
    expect(fieldProblem("x", "too_long", "is too long")).toMatch(/^x: \S/)
  })

  it("are in the language of most weight in Accept-Language, or else in English", () => {
    for (const [header, language] of [
      [undefined, "en"],
      ["", "en"],
      ["de-CH,en;q=0.9", "de"],
      ["it-IT,it;q=0.9", "en"],
      ["it, fr;q=0.4, es;q=0.8", "es"],
      ["zh-TW", "zh"],
      ["fr;q=0, de;q=0.1", "de"],
      ["*", "en"]
    ] as const)
      expect(languageFor(header), header).toBe(language)
  })

  it("state their language: forms, what is wrong with them, shares and problems", async () => {
    const form = await ask("/password/reset", "de-AT,de;q=0.9")
    expect(form.text).toContain('<html lang="de">')
    expect(form.text).toContain("<h1>Passwort zurücksetzen</h1>")
    const wrong = await ask(
      "/password/reset",
      "es",
      { "content-type": "application/x-www-form-urlencoded" },
      { method: "POST", body: "email=" }
    )
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/class="error" id="ask-email-wrong">Dirección de correo: \S/)
    const missing = await ask("/nothing", "zh-CN")
    expect(missing.text).toContain("<h1>未找到页面</h1>")
    expect(await (await fetch(`${origin}/v2/nothing`, { headers: { "accept-language": "de" } })).json()).toMatchObject({
      code: "route_not_found",
      title: expect.stringMatching(/^[\x20-\x7e]+$/)
    })

    const explained = await ask("/v2/errors/quota_exceeded", "de")
    expect(explained.text).toContain('<html lang="de">')
    expect(explained.text).toContain("<p>Der Arbeitsbereich ist voll.</p>")
    expect(explained.text).toContain('<h2>Ursache (auf Englisch)</h2>\n<p lang="en">')
    expect(explained.headers.get("vary")).toContain("Accept-Language")

    const notebook_id = (await given("GET", "/notebooks")).data[0].id
    const note = await given("POST", "/notes", { notebook_id, title: "Fleurs", body: "" })
    const { url } = await given("POST", "/shares", { note_id: note.id })
    const path = new URL(url).pathname
    const [french, english] = [await ask(path, "fr"), await ask(path, "en")]
    expect(french.text).toContain(">Cette note est vide.<")
    expect(french.text).toContain("Une note partagée avec Sheaf</footer>")
    expect(english.text).toContain("This note is empty.")
    expect(french.headers.get("vary")).toContain("Accept-Language")
    // A stored page of one language is not that of another.
    const again = await ask(path, "en", { "if-none-match": french.headers.get("etag")! })
    expect(again.status).toBe(200)
    expect((await ask(path, "fr", { "if-none-match": french.headers.get("etag")! })).status).toBe(304)
  })
})
