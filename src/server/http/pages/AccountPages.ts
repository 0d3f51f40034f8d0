import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import type { Role } from "../../../../services/Principal.ts"
import type { OpenInvitation } from "../../../../services/workspaces/OpenInvitation.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import type { Content, Field, Wrong } from "./FormPage.ts"

/** The pages for links: invitations, password resets, and confirmations of addresses. */

const time = (text: string): string => `<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`

/** A name that a user chose. It cannot change the direction of the text around it. */
export const named = (name: string): string => `<strong><bdi>${escapeHtml(name)}</bdi></strong>`

const address = (email: string): Field => ({
  name: "email",
  label: "E-mail address",
  autocomplete: "username",
  isFixed: true,
  value: email
})

export const newPassword = (name: string, label: string): Field => ({
  name,
  label,
  autocomplete: "new-password",
  hint: "At least 10 characters."
})

export const messagePage = (title: string, ...paragraphs: ReadonlyArray<string>): Content => ({
  title,
  paragraphs: paragraphs.map(escapeHtml)
})

export const unavailable = messagePage("The server is busy", "Try again in a few seconds.")
export const throttled = messagePage("Too many attempts", "Wait a few minutes, then try again.")

// Invitations

const may: Readonly<Record<Role, string>> = {
  viewer: "reads notes",
  editor: "reads and writes notes",
  admin: "reads and writes notes, and manages members",
  owner: "may do everything there"
}

export const name: Field = {
  name: "name",
  label: "Name",
  autocomplete: "name",
  isOptional: true,
  hint: "As others see it. You can leave it empty."
}

/** The fields of both ways to accept, by the value of `way`. */
export const acceptFields = {
  register: [name, newPassword("password", "Password")],
  "sign-in": [{ name: "password", label: "Password", autocomplete: "current-password" }]
} as const satisfies Record<string, ReadonlyArray<Field>>
export type Way = keyof typeof acceptFields

/** Messages for failures of one way to accept. The other way is on the same page. */
export const acceptMessages: Readonly<Partial<Record<ProblemCode, string>>> = {
  invalid_credentials: "The password is wrong, or there is no account with this address yet.",
  already_exists: "There is an account with this address already: enter its password under “I have an account”."
}

/** The failure of one way to accept. */
export interface AcceptWrong {
  readonly way: Way
  readonly wrong: Wrong
  readonly name: string
}

interface Accepting {
  readonly invitation: OpenInvitation
  readonly publicUrl: string
  readonly resetPath: string
  readonly wrong?: AcceptWrong
}

/** The page is the same whether or not the address has an account. */
export const invitationPage = ({ invitation, publicUrl, resetPath, wrong }: Accepting): Content => {
  const { email, expires_at, inviter, role, workspace } = invitation
  const wrongWith = (way: Way) => (wrong?.way === way ? wrong.wrong : undefined)
  const typed = (field: Field): Field => (field.name === "name" ? { ...field, value: wrong?.name } : field)
  return {
    title: `Join ${workspace}`,
    paragraphs: [
      `${named(inviter)} invites ${named(email)} to the workspace ${named(workspace)}, with the role ${role} (${may[role]}).`,
      `The invitation is open until ${time(expires_at)}.`
    ],
    forms: [
      {
        id: "register",
        title: "I am new here",
        about: "Create an account and join.",
        hidden: { way: "register" },
        fields: [address(email), ...acceptFields.register.map(typed)],
        button: "Create account and join",
        wrong: wrongWith("register")
      },
      {
        id: "sign-in",
        title: "I have an account",
        about: `Enter its password and join. <a href="${escapeHtml(resetPath)}">Forgot the password?</a>`,
        hidden: { way: "sign-in" },
        fields: [address(email), ...acceptFields["sign-in"]],
        button: "Join",
        isSecondary: true,
        wrong: wrongWith("sign-in")
      }
    ],
    footer: `If you are signed in to an app, it can accept the invitation with <code>POST ${escapeHtml(publicUrl)}/v2/invitations/accept</code> with the token of this link.`
  }
}

const linkTo = (consolePath: string) => ({ label: "Open Sheaf", to: consolePath })

/** The page of a form that leads to the console. `isSignedIn`: whether it is open there already. */
export interface Leading {
  readonly consolePath: string
  readonly isSignedIn: boolean
}

export const acceptedPage = ({ email, workspace }: OpenInvitation, { consolePath, isSignedIn }: Leading): Content => ({
  title: `You have joined ${workspace}`,
  paragraphs: [
    `${named(email)} is now a member of the workspace ${named(workspace)}.`,
    isSignedIn ? "You are signed in." : "Sign in with this address to open the workspace."
  ],
  link: linkTo(consolePath)
})

/** The account was created, but the invitation ended at the same time. */
export const unacceptedPage = (
  { email, workspace }: OpenInvitation,
  detail: string,
  { consolePath, isSignedIn }: Leading
): Content => ({
  title: "Your account is ready",
  paragraphs: [
    `You ${isSignedIn ? "are signed in as" : "can sign in with"} ${named(email)}. But the invitation to ${named(workspace)} could not be accepted: ${escapeHtml(detail)}.`,
    "Ask for another invitation."
  ],
  link: linkTo(consolePath)
})

export const unknownInvitation = messagePage(
  "This invitation is no longer valid",
  "Check that the link is complete. If the invitation was sent again, only the link in its newest mail works."
)
export const expiredInvitation = messagePage(
  "The invitation has expired",
  "Ask the person who invited you to send it again."
)

// Mails on request

/** A mail with a link that expires, and the page that requests another one. */
export interface Mailed {
  readonly title: string
  readonly intro: string
  /** How long a link works. */
  readonly life: string
  /** Which addresses get a mail. The text is the same whether or not the entered address is one of them. */
  readonly recipient: string
}

export const resetMail: Mailed = {
  title: "Reset your password",
  intro: "Enter the e-mail address of your account. We will mail you a link to choose a new password.",
  life: "A link works once, within one hour.",
  recipient: "If there is an account with this address"
}

export const confirmationMail: Mailed = {
  title: "Confirm your address",
  intro: "Enter the e-mail address of your account. We will mail you a link that confirms it.",
  life: "A link works for seven days.",
  recipient: "If there is an account with this address, and the address is not confirmed yet"
}

export const requestFields: ReadonlyArray<Field> = [{ name: "email", label: "E-mail address", autocomplete: "email" }]

const requestForm = (action: string, wrong?: Wrong, value?: string) => ({
  id: "ask",
  action,
  fields: requestFields.map((field) => ({ ...field, value })),
  button: "Send link",
  wrong
})

export const requestPage = ({ intro, title }: Mailed, action: string, wrong?: Wrong, value?: string): Content => ({
  title,
  paragraphs: [intro],
  forms: [requestForm(action, wrong, value)]
})

export const requestedPage = ({ life, recipient }: Mailed, email: string): Content => ({
  title: "Check your inbox",
  paragraphs: [
    `You entered ${named(email)}. ${recipient}, a mail with a link is on its way to it. ${life}`,
    "If no mail comes, check the spelling of the address and your spam folder."
  ]
})

/** The page for a link that does not work, with the form for another one. */
export const brokenPage = ({ intro, life }: Mailed, isExpired: boolean, action: string): Content => ({
  title: isExpired ? "This link has expired" : "This link does not work",
  paragraphs: [isExpired ? life : `It was used before, has expired, or is incomplete. ${life}`, intro],
  forms: [requestForm(action)]
})

// Password

export const passwordFields: ReadonlyArray<Field> = [newPassword("new_password", "New password")]

export const passwordPage = (email: string, wrong?: Wrong): Content => ({
  title: "Choose a new password",
  paragraphs: ["All devices will be signed out, and need the new password."],
  forms: [{ id: "reset", fields: [address(email), ...passwordFields], button: "Change password", wrong }]
})

export const passwordChangedPage = (email: string, { consolePath, isSignedIn }: Leading): Content => ({
  title: "Your password has been changed",
  paragraphs: [
    isSignedIn
      ? `You are signed in as ${named(email)}. All other devices were signed out.`
      : `Sign in with ${named(email)} and the new password. All devices were signed out.`
  ],
  link: linkTo(consolePath)
})

// Confirmation

export const confirmPage = (email: string, publicUrl: string): Content => ({
  title: "Confirm your address",
  paragraphs: [
    `An account at ${escapeHtml(publicUrl)} uses the address ${named(email)}. Is the account yours?`,
    "If you do not know it, close this page: the address stays unconfirmed."
  ],
  forms: [{ id: "confirm", fields: [], button: "Confirm address" }]
})

export const confirmedPage = (email: string, consolePath: string): Content => ({
  title: "Your address is confirmed",
  paragraphs: [`${named(email)} is confirmed. You can close this page.`],
  link: linkTo(consolePath)
})
