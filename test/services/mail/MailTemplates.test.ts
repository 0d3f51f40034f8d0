import { describe, expect, it } from "vitest"
import {
  confirmation,
  emailChanged,
  invitation,
  passwordReset,
  reminder
} from "../../../services/mail/MailTemplates.ts"

const about = {
  workspace: "Botany",
  inviter: "Zoë",
  inviter_email: "zoe@example.org",
  role: "editor",
  accept_url: "https://sheaf.example/invitations/accept?token=abc",
  expires_at: "2026-03-08T12:00:00.000Z",
  locale: "en"
}

describe("mail templates", () => {
  it("name the inviter, the workspace, the role, the link and its expiry in an invitation", () => {
    const { subject, text } = invitation(about)
    expect(subject).toBe(`Zoë invites you to "Botany"`)
    expect(text).toContain(`Zoë <zoe@example.org> invites you to the workspace "Botany", with the role editor.`)
    expect(text.split("\n")).toContain("    https://sheaf.example/invitations/accept?token=abc")
    expect(text).toContain("until 2026-03-08 12:00 UTC")
  })

  it("keep names on one line, without line breaks, control characters and changes of direction", () => {
    const breaks = ["\r\n", "\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029", "\0", "\u001b[2J", "\u202e", "\u2066"]
    for (const mark of breaks) {
      const { subject, text } = invitation({ ...about, inviter: `Eve${mark}Bcc: x`, workspace: `W${mark}${mark}X` })
      expect(subject).toMatch(/^Eve (\[2J)?Bcc: x invites you to "W (\[2J)?( \[2J)?X"$/)
      expect(text.split("\n")).toHaveLength(invitation(about).text.split("\n").length)
      expect(text).not.toMatch(/[^\n\P{Cc}]|[\u2028-\u202e\u2066-\u2069]/u)
    }
  })

  it("shorten long names in an invitation to forty whole characters", () => {
    const { subject } = invitation({ ...about, inviter: "🌿".repeat(41), workspace: "ü".repeat(40) })
    expect(subject).toBe(`${"🌿".repeat(39)}… invites you to "${"ü".repeat(40)}"`)
  })

  it("remove URLs and e-mail addresses from names in an invitation", () => {
    const named = (name: string) => {
      const { subject, text } = invitation({ ...about, inviter: name, workspace: name })
      const [, inviter, workspace] = /^(.*) invites you to (.*)$/.exec(subject)!
      expect(text).not.toMatch(/evil\.example|evil。/i)
      return [inviter, workspace]
    }
    for (const [name, shown] of [
      ["Your mailbox is full: log in at https://evil.example/login now", "Your mailbox is full: log in at now"],
      ["HTTPS://EVIL.EXAMPLE Zoë www.evil.example", "Zoë"],
      ["Zoë support@evil.example", "Zoë"],
      ["Zoë ｓｕｐｐｏｒｔ＠evil.example", "Zoë"],
      ["go to evil.example/login", "go to evil example login"],
      ["go to evil。example or 192.0.2.1", "go to evil example or 192 0 2 1"],
      ["J. R. R. Tolkien", "J. R. R. Tolkien"],
      ["Dr. Zoë", "Dr. Zoë"]
    ] as const) {
      expect(named(name), name).toEqual([shown, `"${shown}"`])
    }
    for (const name of ["", "https://evil.example", "@", "a@b.c"])
      expect(named(name), name).toEqual(["A user", "a workspace"])
  })

  it("show the whole title of a note only to a confirmed address", () => {
    const subjectOf = (email_proven: boolean) =>
      reminder({
        email_proven,
        name: "Zoë",
        title: "Read https://example.org/article",
        workspace: "Botany",
        remind_at: "2026-03-08T12:00:00.000Z",
        timezone: "UTC",
        locale: "en",
        publicUrl: "https://sheaf.example"
      }).subject
    expect(subjectOf(true)).toBe("Reminder: Read https://example.org/article")
    expect(subjectOf(false)).toBe("Reminder: Read")
  })

  it("do not change names in other scripts", () => {
    const workspace = "گل\u200cها 👩‍🔬 हिन्दी"
    expect(invitation({ ...about, workspace }).text).toContain(workspace)
  })

  it("link to the page of a reset, show its token on a separate line for apps, and explain what to do with an unrequested mail", () => {
    const { text } = passwordReset({ token: "sfp_secret", publicUrl: "https://sheaf.example/notes", locale: "en" })
    const lines = text.split("\n")
    expect(lines).toContain("    https://sheaf.example/notes/password/reset?token=sfp_secret")
    expect(lines).toContain("    sfp_secret")
    expect(text).toContain("one hour")
    expect(text).toContain("If it was not you")
  })

  it("link to the page that confirms an address, and explain what to do when the account is unknown", () => {
    const { text } = confirmation({
      token: "sfc_secret",
      email: "zoë@example.org",
      locale: "en",
      publicUrl: "https://sheaf.example"
    })
    expect(text.split("\n")).toContain("    https://sheaf.example/email/confirm?token=sfc_secret")
    for (const part of ["zoë@example.org", "seven days", "If you do not know this account"])
      expect(text).toContain(part)
  })

  it("mask the new address, so that only its owner recognises it", () => {
    const textFor = (email: string) =>
      emailChanged({ email, changed_at: "2026-03-01T12:34:56.789Z", publicUrl: "https://sheaf.example", locale: "en" })
        .text
    expect(textFor("mallory@example.org")).toContain("the e-mail address m…@example.org, since 2026-03-01 12:34 UTC")
    expect(textFor("mallory@example.org")).not.toContain("mallory")
    expect(textFor("m@example.org")).toContain(" …@example.org")
    expect(textFor("žofie@example.org")).toContain("ž…@example.org")
  })
})
