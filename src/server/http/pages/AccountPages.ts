import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import type { OpenInvitation } from "../../../../services/workspaces/OpenInvitation.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import type { Field, Page, FormErrors } from "./FormPage.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"

/** The pages for links: invitations, password resets, and confirmations of addresses. */

const time = (text: string): string => `<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`

/** A name that a user chose. It cannot change the direction of the text around it. */
export const named = (name: string): string => `<strong><bdi>${escapeHtml(name)}</bdi></strong>`

const address = (email: string): Field => ({ name: "email", autocomplete: "username", isFixed: true, value: email })

/** A page without a form. */
export const messagePage =
  (words: (texts: PageTexts) => readonly [title: string, ...paragraphs: ReadonlyArray<string>]): Page =>
  (texts) => {
    const [title, ...paragraphs] = words(texts)
    return { title, paragraphs }
  }

export const unavailable = messagePage((texts) => texts.unavailable)
export const throttled = messagePage((texts) => texts.throttled)

// Invitations

const code: Field = { name: "code", autocomplete: "one-time-code" }

export const name: Field = { name: "name", autocomplete: "name", isOptional: true }

/** The fields of both ways to accept, by the value of `way`. */
export const acceptFields = {
  register: [name, { name: "password", autocomplete: "new-password" }],
  "sign-in": [{ name: "password", autocomplete: "current-password" }]
} as const satisfies Record<string, ReadonlyArray<Field>>
export type Way = keyof typeof acceptFields

/** Messages for failures of one way to accept. The other way is on the same page. */
export const acceptMessages: Readonly<Partial<Record<ProblemCode, FormErrors>>> = {
  invalid_credentials: ({ invitation }) => ({ message: invitation.wrongPassword }),
  second_factor_required: (texts) => ({ message: texts.problem("second_factor_required", "") }),
  invalid_code: (texts) => ({ message: texts.problem("invalid_code", "") }),
  already_exists: ({ invitation }) => ({ message: invitation.isKnown })
}

/** A provider, and the address at which a user continues with it. */
export interface Linked {
  readonly name: string
  readonly to: string
}

export const linksTo = (providers: ReadonlyArray<Linked>, { signIn }: PageTexts) =>
  providers.map(({ name, to }) => ({ label: signIn.by(`<bdi>${escapeHtml(name)}</bdi>`), to }))

/** The failure of one way to accept. */
export interface AcceptWrong {
  readonly way: Way
  readonly wrong: FormErrors
  /** Whether the account has a second factor. */
  readonly needsCode: boolean
  readonly name: string
}

interface Accepting {
  readonly invitation: OpenInvitation
  readonly publicUrl: string
  readonly resetPath: string
  readonly providers: ReadonlyArray<Linked>
  readonly wrong?: AcceptWrong
}

/** The page is the same whether or not the address has an account. */
export const invitationPage =
  ({ invitation, providers, publicUrl, resetPath, wrong }: Accepting): Page =>
  (texts) => {
    const { email, expires_at, inviter, role, workspace } = invitation
    const said = texts.invitation
    const wrongWith = (way: Way) => (wrong?.way === way ? wrong.wrong(texts) : undefined)
    const typed = (field: Field): Field => (field.name === "name" ? { ...field, value: wrong?.name } : field)
    return {
      title: said.title(workspace),
      paragraphs: [said.lead(named(inviter), named(email), named(workspace), role), said.until(time(expires_at))],
      forms: [
        {
          id: "register",
          title: said.isNew,
          about: said.newLead,
          hidden: { way: "register" },
          fields: [address(email), ...acceptFields.register.map(typed)],
          button: said.create,
          wrong: wrongWith("register")
        },
        {
          id: "sign-in",
          title: said.hasAccount,
          about: `${said.accountLead} <a href="${escapeHtml(resetPath)}">${said.forgot}</a>`,
          hidden: { way: "sign-in" },
          fields: [address(email), ...acceptFields["sign-in"], ...(wrong?.needsCode === true ? [code] : [])],
          button: said.join,
          isSecondary: true,
          wrong: wrongWith("sign-in")
        }
      ],
      providers: linksTo(providers, texts),
      footer: said.footer(`<code>POST ${escapeHtml(publicUrl)}/v2/invitations/accept</code>`)
    }
  }

const linkTo = (consolePath: string, { openSheaf }: PageTexts) => ({ label: openSheaf, to: consolePath })

/** The page of a form that leads to the console. `isSignedIn`: whether it is open there already. */
export interface Leading {
  readonly consolePath: string
  readonly isSignedIn: boolean
}

export const acceptedPage =
  ({ email, workspace }: OpenInvitation, { consolePath, isSignedIn }: Leading): Page =>
  (texts) => ({
    title: texts.invitation.joined(workspace),
    paragraphs: [
      texts.invitation.member(named(email), named(workspace)),
      isSignedIn ? texts.signedIn : texts.invitation.signInToOpen
    ],
    link: linkTo(consolePath, texts)
  })

/** The account was created, but the invitation ended at the same time. */
export const unacceptedPage =
  (
    { email, workspace }: OpenInvitation,
    { code, detail }: { readonly code: ProblemCode; readonly detail: string },
    { consolePath, isSignedIn }: Leading
  ): Page =>
  (texts) => ({
    title: texts.invitation.ready,
    paragraphs: [
      texts.invitation.failed(named(email), named(workspace), isSignedIn, escapeHtml(texts.problem(code, detail))),
      texts.invitation.askAgain
    ],
    link: linkTo(consolePath, texts)
  })

export const unknownInvitation = messagePage(({ invitation }) => invitation.unknown)
export const expiredInvitation = messagePage(({ invitation }) => invitation.expired)

// Mails on request

/**
 * A mail with a link that expires, and the page that requests another one. The text is the same whether or not the entered
 * address gets a mail.
 */
export type Mailed = "reset" | "confirmation"

export const requestFields: ReadonlyArray<Field> = [{ name: "email", autocomplete: "email" }]

const requestForm = (texts: PageTexts, action: string, wrong?: FormErrors, value?: string) => ({
  id: "ask",
  action,
  fields: requestFields.map((field) => ({ ...field, value })),
  button: texts.mailed.send,
  wrong: wrong?.(texts)
})

export const requestPage =
  (mail: Mailed, action: string, wrong?: FormErrors, value?: string): Page =>
  (texts) => {
    const { intro, title } = texts.mailed[mail]
    return { title, paragraphs: [intro], forms: [requestForm(texts, action, wrong, value)] }
  }

export const requestedPage =
  (mail: Mailed, email: string): Page =>
  ({ mailed }) => ({ title: mailed.check, paragraphs: [mailed[mail].sent(named(email)), mailed.noMail] })

/** The page for a link that does not work, with the form for another one. */
export const brokenPage =
  (mail: Mailed, isExpired: boolean, action: string): Page =>
  (texts) => {
    const { broken, expired, why } = texts.mailed
    const { intro, life } = texts.mailed[mail]
    return {
      title: isExpired ? expired : broken,
      paragraphs: [isExpired ? life : `${why} ${life}`, intro],
      forms: [requestForm(texts, action)]
    }
  }

// Password

export const passwordFields: ReadonlyArray<Field> = [{ name: "new_password", autocomplete: "new-password" }]

export const passwordPage =
  (email: string, wrong?: FormErrors): Page =>
  (texts) => ({
    title: texts.password.title,
    paragraphs: [texts.password.lead],
    forms: [
      { id: "reset", fields: [address(email), ...passwordFields], button: texts.password.change, wrong: wrong?.(texts) }
    ]
  })

export const passwordChangedPage =
  (email: string, { consolePath, isSignedIn }: Leading): Page =>
  (texts) => ({
    title: texts.password.changed,
    paragraphs: [texts.password[isSignedIn ? "signedOut" : "signIn"](named(email))],
    link: linkTo(consolePath, texts)
  })

// Confirmation

export const confirmPage =
  (email: string, publicUrl: string): Page =>
  ({ confirm }) => ({
    title: confirm.title,
    paragraphs: [confirm.question(escapeHtml(publicUrl), named(email)), confirm.ifNot],
    forms: [{ id: "confirm", fields: [], button: confirm.button }]
  })

export const confirmedPage =
  (email: string, consolePath: string): Page =>
  (texts) => ({
    title: texts.confirm.confirmed,
    paragraphs: [texts.confirm.done(named(email))],
    link: linkTo(consolePath, texts)
  })
