import type { SheafError } from "../../../services/Errors.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, headersOf, styled } from "../responses/HtmlPage.ts"

/** Pages with forms that work without scripts, and their messages about invalid input. */

const style = styled(`
h2 { margin-top: 0; font-size: 1.25rem }
form { margin-bottom: 0 } form p { margin-bottom: 1.1rem } form .about { margin: -.2rem 0 1.1rem }
.hint { color: var(--soft); font-size: .9rem; margin: -.2rem 0 .35rem }
form .bad { margin: 0 0 .35rem } form > .bad { margin-bottom: 1.1rem }
input[readonly] { background: var(--code); border-color: var(--line) } input[aria-invalid] { border-color: var(--bad) }
button { margin-top: .3rem }
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 2.5rem 3rem; margin-top: 2.25rem }
.choices form { margin-top: 0 }
`)

/** The address contains a token: pages are not cached and not indexed, and no other site receives the address. */
export const formHeaders: Readonly<Record<string, string>> = { ...headersOf(style), "cache-control": "no-store" }

export interface Field {
  readonly name: string
  readonly label: string
  readonly autocomplete: "name" | "username" | "email" | "new-password" | "current-password"
  readonly hint?: string
  /** Read-only: shown to users and password managers. */
  readonly isFixed?: boolean
  readonly isOptional?: boolean
  readonly value?: string | undefined
}

/** The errors of a form: one for the whole form, or of fields by name. */
export interface Wrong {
  readonly message?: string
  readonly fields?: Readonly<Record<string, string>>
}

export interface Form {
  /** The prefix of the ids of its fields, because a page may have several forms. */
  readonly id: string
  readonly title?: string
  readonly about?: string
  readonly fields: ReadonlyArray<Field>
  /** Values that are sent in addition to the fields. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly button: string
  /** The address to send the form to; by default that of the page. */
  readonly action?: string
  readonly wrong?: Wrong | undefined
}

/** Not `type="email"`, because browsers then refuse addresses with other characters than ASCII. */
const asAddress = `type="text" inputmode="email" autocapitalize="none" spellcheck="false"`

const typeOf = ({ autocomplete }: Field): string =>
  autocomplete === "name"
    ? `type="text"`
    : autocomplete === "username" || autocomplete === "email"
      ? asAddress
      : `type="password"`

const fieldOf = (form: Form, field: Field, isFocused: boolean): string => {
  const { autocomplete, hint, isFixed = false, isOptional = false, label, name, value } = field
  const id = `${form.id}-${name}`
  const wrong = form.wrong?.fields?.[name]
  const hasMessage = form.wrong?.message !== undefined && !isFixed
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(wrong === undefined ? [] : [`${id}-wrong`]),
    ...(hasMessage ? [`${form.id}-wrong`] : [])
  ]
  const attributes = [
    typeOf(field),
    `id="${id}" name="${name}" autocomplete="${autocomplete}"`,
    ...(value === undefined ? [] : [`value="${escapeHtml(value)}"`]),
    isFixed ? "readonly" : isOptional ? "" : "required",
    ...(described.length === 0 ? [] : [`aria-describedby="${described.join(" ")}"`]),
    wrong === undefined ? "" : `aria-invalid="true"`,
    isFocused ? "autofocus" : ""
  ]
  return `<label for="${id}">${label}</label>
${hint === undefined ? "" : `<p class="hint" id="${id}-hint">${hint}</p>\n`}${
    wrong === undefined ? "" : `<p class="bad" id="${id}-wrong">${escapeHtml(wrong)}</p>\n`
  }<p><input ${attributes.filter((each) => each !== "").join(" ")}></p>`
}

/** Returns a form in HTML. If it has errors, the first invalid field has the focus, else the last editable one. */
export const formOf = (form: Form): string => {
  const { about, action, button, fields, hidden = {}, id, title, wrong } = form
  const open = fields.filter(({ isFixed }) => isFixed !== true)
  const focused = wrong === undefined ? undefined : (open.find(({ name }) => wrong.fields?.[name]) ?? open.at(-1))
  return `<form method="post"${action === undefined ? "" : ` action="${escapeHtml(action)}"`}${
    title === undefined ? "" : ` aria-labelledby="${id}"`
  }>
${title === undefined ? "" : `<h2 id="${id}">${title}</h2>\n`}${about === undefined ? "" : `<p class="about">${about}</p>\n`}${
    wrong?.message === undefined
      ? ""
      : `<p class="bad" id="${id}-wrong" role="alert">${escapeHtml(wrong.message)}</p>\n`
  }${Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`)
    .join("")}${fields.map((field) => fieldOf(form, field, field === focused)).join("\n")}
<button type="submit">${button}</button>
</form>`
}

interface Content {
  readonly title: string
  /** Paragraphs in HTML. */
  readonly paragraphs: ReadonlyArray<string>
  readonly forms?: ReadonlyArray<Form>
  /** HTML. */
  readonly footer?: string
}

/** Returns a page with paragraphs, and forms below. */
export const formPage = ({ footer, forms = [], paragraphs, title }: Content): string => {
  const isWrong = forms.some(({ wrong }) => wrong !== undefined)
  const made = forms.map(formOf).join("\n")
  return frame({
    style,
    title: isWrong ? `Error: ${title}` : title,
    body: `<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n")}
${forms.length > 1 ? `<div class="choices">\n${made}\n</div>` : made}
</main>${footer === undefined ? "" : `\n<footer>${footer}</footer>`}`
  })
}

const minute = 60

/** Returns a duration in words. */
const span = (seconds: number): string =>
  seconds < 2 * minute ? `${seconds} seconds` : `${Math.ceil(seconds / minute)} minutes`

/** Returns the errors of a form for a failure of a service, as sentences. */
export const wrongOf = (error: SheafError, fields: ReadonlyArray<Field>): Wrong => {
  if (error._tag === "RateLimited") return { message: `${error.detail}. Try again in ${span(error.retry_after)}.` }
  if (error._tag === "Unavailable") return { message: "The server is busy. Try again in a few seconds." }
  const wrong: Record<string, string> = {}
  for (const { field: name, message } of error._tag === "Invalid" ? (error.errors ?? []) : []) {
    const field = fields.find((each) => each.name === name)
    if (field !== undefined) wrong[name] ??= `The ${field.label.toLowerCase()} ${message}.`
  }
  return Object.keys(wrong).length > 0 ? { fields: wrong } : { message: `${error.detail}.` }
}
