import type { ProblemCode } from "../../client/SheafClient.ts"
import { translated } from "../ChosenLanguage.ts"

type Sentences = Partial<Record<ProblemCode, string>>

/** The texts of second factors. They are loaded with them. */
export const texts = translated("factors", {
  step: {
    lead: "Your account has a second factor.",
    back: "Back"
  },
  passkey: {
    refused: "No passkey was used.",
    known: "This device already has a passkey of an account here.",
    elsewhere: (host: string) => `Passkeys of this server work at ${host} only.`,
    noneHere: "Passkeys need a host name, and HTTPS, in the address of this server (PUBLIC_URL).",
    noneInBrowser: "Passkeys need a browser that has them, and a page by HTTPS."
  },

  lead: "With one of these, a sign-in by password also asks for a code or a passkey. A passkey also signs you in alone.",
  none: "There are no second factors.",
  kind: "Kind",
  kinds: { totp: "Authenticator app", passkey: "Passkey" },
  passkeyOf: (host: string) => `Passkey for ${host}`,
  added: "Added",
  addApp: "Add an authenticator app",
  addPasskey: "Add a passkey",
  rename: "Rename…",
  renameOf: (name: string) => `Rename ${name}`,
  remove: "Remove…",
  removeOf: (name: string) => `Remove ${name}`,
  removeConfirm:
    "It does not sign you in any more, and your sessions stay. The recovery codes end with the last factor.",
  removeProblems: {
    invalid_state: "This is your last way to sign in. Add another factor, or set a password by “Forgot the password?”."
  } satisfies Sentences,

  app: {
    scan: "Scan this code with the authenticator app, or type the secret into it.",
    picture: "QR code with the secret",
    open: "Open the app on this device",
    secret: "Secret",
    code: "Code that the app shows",
    add: "Add the app",
    problems: { invalid_state: "The code came too late. Close this dialog, and begin again." } satisfies Sentences
  },

  codes: {
    left: (count: number) => (count === 1 ? "1 recovery code is left." : `${count} recovery codes are left.`),
    make: "Make new recovery codes…",
    makeTitle: "Make new recovery codes",
    makeConfirm: "The codes that you have now end.",
    title: "Your recovery codes",
    lead: "Each one works once, in place of a factor that you have lost. They are shown only now. Keep them where you find them without this device.",
    of: (email: string, host: string) => `Recovery codes of ${email} for ${host}`,
    print: "Print",
    unkept: "You have not copied, downloaded or printed the codes. They are not shown again. Close?"
  },

  needed: {
    title: "Two factors are needed",
    leads: {
      workspace: "This workspace needs a sign-in with two factors.",
      server: "The pages of the server need a sign-in with two factors."
    },
    confirm: "Confirm with a factor that you have.",
    add: "Add a second factor here. Text that is not saved stays on this device."
  }
})
