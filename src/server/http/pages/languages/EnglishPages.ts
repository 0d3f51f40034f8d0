import type { FieldCode } from "../../../../../services/Errors.ts"
import type { Role } from "../../../../../services/Principal.ts"
import type { Reason } from "../../../../../services/oidc/Provider.ts"
import type { ProblemCode } from "../../../../../services/ProblemCodes.ts"

/** A page: its title, and its paragraphs in HTML. What functions take is HTML too; links are begun. */
type Words = readonly [title: string, ...paragraphs: ReadonlyArray<string>]

/** The texts of the pages of the server. Those that are HTML have no characters to escape except of tags. */
export const english = {
  lang: "en",
  /** A sentence about a problem. `detail` is the server's, in English. */
  problem: (_code: ProblemCode, detail: string): string => `${detail}.`,
  /** A sentence about a field. `message` is the server's, in English. */
  fieldProblem: (label: string, _code: FieldCode, message: string): string => `The ${label.toLowerCase()} ${message}.`,
  throttledFor: (problem: string, seconds: number): string =>
    `${problem} Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
  busy: "The server is busy. Try again in a few seconds.",
  wrongTitle: (title: string): string => `Error: ${title}`,
  copy: "Copy",
  copied: "Copied",
  needsScript: "Sheaf needs JavaScript.",

  labels: {
    email: "E-mail address",
    name: "Name",
    password: "Password",
    code: "Code, or recovery code",
    new_password: "New password"
  },
  nameHint: "As others see it. You can leave it empty.",
  passwordHint: "At least 10 characters.",
  openSheaf: "Open Sheaf",
  signedIn: "You are signed in.",
  signedInAs: (email: string): string => `You are signed in as ${email}.`,

  unavailable: ["The server is busy", "Try again in a few seconds."] as Words,
  throttled: ["Too many attempts", "Wait a few minutes, then try again."] as Words,

  invitation: {
    title: (workspace: string): string => `Join ${workspace}`,
    lead: (inviter: string, email: string, workspace: string, role: Role): string =>
      `${inviter} invites ${email} to the workspace ${workspace}, with the role ${role} (${english.invitation.may[role]}).`,
    may: {
      viewer: "reads notes",
      editor: "reads and writes notes",
      admin: "reads and writes notes, and manages members",
      owner: "may do everything there"
    } satisfies Record<Role, string>,
    until: (time: string): string => `The invitation is open until ${time}.`,
    isNew: "I am new here",
    newLead: "Create an account and join.",
    create: "Create account and join",
    hasAccount: "I have an account",
    accountLead: "Enter its password and join.",
    forgot: "Forgot the password?",
    join: "Join",
    footer: (request: string): string =>
      `If you are signed in to an app, it can accept the invitation with ${request} with the token of this link.`,
    wrongPassword: "The password is wrong, or there is no account with this address yet.",
    isKnown: "There is an account with this address already: enter its password under “I have an account”.",
    joined: (workspace: string): string => `You have joined ${workspace}`,
    member: (email: string, workspace: string): string => `${email} is now a member of the workspace ${workspace}.`,
    signInToOpen: "Sign in with this address to open the workspace.",
    ready: "Your account is ready",
    failed: (email: string, workspace: string, isSignedIn: boolean, problem: string): string =>
      `You ${isSignedIn ? "are signed in as" : "can sign in with"} ${email}. But the invitation to ${workspace} could not be accepted: ${problem}`,
    askAgain: "Ask for another invitation.",
    unknown: [
      "This invitation is no longer valid",
      "Check that the link is complete. If the invitation was sent again, only the link in its newest mail works."
    ] as Words,
    expired: ["The invitation has expired", "Ask the person who invited you to send it again."] as Words
  },

  signIn: {
    /** `provider` is HTML. */
    by: (provider: string): string => `Continue with ${provider}`,
    done: "You are signed in",
    confirmed: "It is confirmed that you are present",
    close: "Close this page, and continue in Sheaf.",
    failed: "The sign-in did not work",
    refused: (provider: string): Record<Reason, Words> => ({
      closed: [
        "This server has no account for you",
        `Only invited people can register. Open the link of your invitation, and continue with ${provider} there.`
      ],
      declined: [`${provider} has not signed you in`, "The sign-in was cancelled or refused there. Begin again."],
      ended: [
        "This sign-in has ended",
        "It works once, in the browser in which it was begun, and within ten minutes. Begin again."
      ],
      invalid: [
        "The sign-in is not valid",
        `The response of ${provider} did not pass the checks. Begin again. If it happens again, ask the operator of this server.`
      ],
      knownAddress: [
        "There is an account with your address already",
        `Sign in to it as before. Then connect ${provider} in the settings of the account.`
      ],
      linkedElsewhere: [
        "This sign-in belongs to another account",
        `The user at ${provider} is connected with another account of this server.`
      ],
      noAddress: [`${provider} has named no e-mail address`, "An account needs one. Ask the operator of this server."],
      notLinked: [
        `${provider} is not connected with your account`,
        "The link was used before, has expired, or belongs to another sign-in."
      ],
      otherAddress: [
        "The invitation is for another address",
        `${provider} has named another address, or has not verified yours.`
      ],
      tooMany: ["The account has too many sign-ins", "Disconnect one of them in the settings of the account first."],
      unknownProvider: ["There is no such provider", "Check the address."],
      unreachable: [
        `${provider} cannot be reached`,
        "Try again in a minute. If it stays like this, ask the operator of this server."
      ]
    })
  },

  mailed: {
    /** For a new password. */
    reset: {
      title: "Reset your password",
      intro: "Enter the e-mail address of your account. We will mail you a link to choose a new password.",
      life: "A link works once, within one hour.",
      sent: (email: string): string =>
        `You entered ${email}. If there is an account with this address, a mail with a link is on its way to it. A link works once, within one hour.`
    },
    /** To confirm an address. */
    confirmation: {
      title: "Confirm your address",
      intro: "Enter the e-mail address of your account. We will mail you a link that confirms it.",
      life: "A link works for seven days.",
      sent: (email: string): string =>
        `You entered ${email}. If there is an account with this address, and the address is not confirmed yet, a mail with a link is on its way to it. A link works for seven days.`
    },
    send: "Send link",
    check: "Check your inbox",
    noMail: "If no mail comes, check the spelling of the address and your spam folder.",
    expired: "This link has expired",
    broken: "This link does not work",
    why: "It was used before, has expired, or is incomplete."
  },

  password: {
    title: "Choose a new password",
    lead: "All devices will be signed out, and need the new password.",
    change: "Change password",
    changed: "Your password has been changed",
    signedOut: (email: string): string => `You are signed in as ${email}. All other devices were signed out.`,
    signIn: (email: string): string => `Sign in with ${email} and the new password. All devices were signed out.`
  },

  confirm: {
    title: "Confirm your address",
    question: (url: string, email: string): string =>
      `An account at ${url} uses the address ${email}. Is the account yours?`,
    ifNot: "If you do not know it, close this page: the address stays unconfirmed.",
    button: "Confirm address",
    confirmed: "Your address is confirmed",
    done: (email: string): string => `${email} is confirmed. You can close this page.`
  },

  setup: {
    title: "Create the first account",
    lead: "It owns the first workspace, and administers the server. Then you can bring your notes.",
    create: "Create account",
    ready: "Your account is ready",
    signIn: (email: string): string => `Sign in with ${email} and your password to import notes and to connect apps.`,
    continue: "Continue",
    showKey: "Show a key for scripts",
    key: "API key",
    keyHint: (docs: string): string =>
      `It may do everything in your workspace, and is not shown again. ${docs}The documentation</a> describes how to use the API.`,
    expired: ["This link has expired", "A link works for one hour. Restart Sheaf: it prints another one."] as Words,
    broken: [
      "This link does not work",
      "It was used before, is incomplete, or an account has a password already. If you have used it, sign in to your app.",
      "Sheaf prints another link at each start while no account has a password."
    ] as Words
  },

  share: {
    updated: (date: string): string => `Updated ${date}`,
    empty: "This note is empty.",
    footer: "A note shared with Sheaf",
    protectedTitle: "A protected note",
    protected: "This note is protected",
    askPassword: "Ask the person who shared it with you for the password.",
    open: "Open",
    wrongPassword: "The password is wrong.",
    notFound: ["Not found", "Check that the link is complete. The note may no longer be shared."] as Words,
    expired: ["This link has expired", "Ask the person who sent it to you for another one."] as Words
  },

  problemPage: {
    notFound: ["Page not found", "Check the address."] as Words,
    heading: (title: string): string => title,
    ofApi:
      "This address belongs to the API, which is for programs. Each request to it needs an access token or an API key.",
    ways: (start: string, docs: string): string =>
      `Continue to the ${start}start page</a> or the ${docs}API reference</a>.`,
    status: (status: number): string => `status ${status}`,
    cause: "Cause",
    remedy: "Remedy",
    all: (docs: string): string => `${docs}All problems, and the operations that return this one</a>`,
    footer: (code: string, request: string): string => `Problem ${code}, request ${request}`
  }
}

/** The texts of the pages in a language. A text that is missing does not compile. */
export type PageTexts = typeof english
