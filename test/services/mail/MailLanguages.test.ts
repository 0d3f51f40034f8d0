import { describe, expect, it } from "vitest"
import { chinese } from "../../../services/mail/languages/ChineseMails.ts"
import { english } from "../../../services/mail/languages/EnglishMails.ts"
import { french } from "../../../services/mail/languages/FrenchMails.ts"
import { german } from "../../../services/mail/languages/GermanMails.ts"
import { spanish } from "../../../services/mail/languages/SpanishMails.ts"
import { mailTexts } from "../../../services/mail/MailLanguages.ts"
import { invitation, reminder } from "../../../services/mail/MailTemplates.ts"
import { unlike } from "../../support/Translated.ts"

describe("mails", () => {
  it.each([
    ["German", german],
    ["French", french],
    ["Spanish", spanish],
    ["Chinese", chinese]
  ])("in %s have each text of the English ones, and none that is empty or still English", (_, texts) => {
    const wrong = unlike(english, texts)
    expect(wrong).toEqual({ different: [], empty: [], equal: [] })
  })

  it("are in the language of the locale, or else in English", () => {
    expect(mailTexts("de-CH")).toBe(german)
    expect(mailTexts("zh-TW")).toBe(chinese)
    expect(mailTexts("FR-ca")).toBe(french)
    for (const locale of ["en-GB", "it-IT", "den", "und"]) expect(mailTexts(locale)).toBe(english)
    const { subject, text } = invitation({
      workspace: "Botany",
      inviter: "Zoë",
      inviter_email: "zoe@example.org",
      role: "editor",
      accept_url: "https://sheaf.example/invitations/accept?token=abc",
      expires_at: "2026-03-08T12:00:00.000Z",
      locale: "de-CH"
    })
    expect(subject).toBe("Zoë lädt Sie zu „Botany“ ein")
    expect(text).toContain("mit der Rolle Bearbeiter.")
  })

  it("say when a reminder was due in the words of the locale", () => {
    const { text } = reminder({
      email_proven: true,
      name: "Zoé",
      title: "Fleurs",
      workspace: "Botanique",
      remind_at: "2026-03-08T12:00:00.000Z",
      timezone: "Europe/Paris",
      publicUrl: "https://sheaf.example",
      locale: "fr-FR"
    })
    expect(text).toMatch(/ {4}dimanche 8 mars 2026.*13:00 \(Europe\/Paris\)/)
  })
})
