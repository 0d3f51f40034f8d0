import type { SheafError } from "../../../../services/Errors.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, pageHeaders } from "../responses/HtmlPage.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"
import type { ConsoleEntry } from "./ConsoleEntry.ts"

/** Pages with forms, which look like the console and work without its script, and their messages about invalid input. */

/**
 * The address contains a token: pages are not cached and not indexed, and no other site receives the address. The own
 * site does, because browsers without `Sec-Fetch-Site` say only then where a form comes from.
 */
export const formHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders("script-src 'self'; style-src 'self'"),
  "referrer-policy": "same-origin",
  "cache-control": "no-store"
}

export interface Field {
  readonly name: keyof PageTexts["labels"]
  readonly autocomplete: "name" | "username" | "email" | "new-password" | "current-password" | "one-time-code"
  /** Read-only: shown to users and password managers. */
  readonly isFixed?: boolean
  readonly isOptional?: boolean
  readonly value?: string | undefined
}

/** The hint of a field. */
const hintOf = ({ autocomplete }: Field, texts: PageTexts): string | undefined =>
  autocomplete === "new-password" ? texts.passwordHint : autocomplete === "name" ? texts.nameHint : undefined

/** The errors of a form, for a reader. */
export type FormErrors = (texts: PageTexts) => ShownErrors

/** The errors of a form: one for the whole form, or of fields by name. */
interface ShownErrors {
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
  readonly wrong?: ShownErrors | undefined
  /** Whether another form is more likely the one that is needed. */
  readonly isSecondary?: boolean
}

/** Not `type="email"`, because browsers then refuse addresses with other characters than ASCII. */
const asAddress = `type="text" inputmode="email" autocapitalize="none" spellcheck="false"`

const typeOf = ({ autocomplete }: Field): string =>
  autocomplete === "name" || autocomplete === "one-time-code"
    ? `type="text"`
    : autocomplete === "username" || autocomplete === "email"
      ? asAddress
      : `type="password"`

const fieldOf = (form: Form, field: Field, isFocused: boolean, texts: PageTexts): string => {
  const { autocomplete, isFixed = false, isOptional = false, name, value } = field
  const hint = hintOf(field, texts)
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
  return `<div class="field">
<label for="${id}">${texts.labels[name]}</label>
<input ${attributes.filter((each) => each !== "").join(" ")}>
${hint === undefined ? "" : `<p class="hint" id="${id}-hint">${hint}</p>\n`}${
    wrong === undefined ? "" : `<p class="error" id="${id}-wrong">${escapeHtml(wrong)}</p>\n`
  }</div>`
}

/** Returns a form in HTML. If it has errors, the first invalid field has the focus, else the last editable one. */
const formOf = (form: Form, texts: PageTexts): string => {
  const { about, action, button, fields, hidden = {}, id, title, wrong } = form
  const open = fields.filter(({ isFixed }) => isFixed !== true)
  const focused = wrong === undefined ? undefined : (open.find(({ name }) => wrong.fields?.[name]) ?? open.at(-1))
  return `<form class="sign-in" method="post"${action === undefined ? "" : ` action="${escapeHtml(action)}"`}${
    title === undefined ? "" : ` aria-labelledby="${id}"`
  }>
${title === undefined ? "" : `<h2 id="${id}">${title}</h2>\n`}${about === undefined ? "" : `<p class="lead">${about}</p>\n`}${
    wrong?.message === undefined
      ? ""
      : `<p class="banner" id="${id}-wrong" role="alert">${escapeHtml(wrong.message)}</p>\n`
  }${Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`)
    .join("")}${fields.map((field) => fieldOf(form, field, field === focused, texts)).join("\n")}
<button type="submit" class="button ${form.isSecondary === true ? "" : "main"}">${button}</button>
</form>`
}

/** A page for a reader. */
export type Page = (texts: PageTexts) => Content

/** A secret for other programs, which is shown when the user asks for it. */
interface Revealed {
  /** The line that opens it. */
  readonly summary: string
  readonly label: string
  readonly value: string
  /** HTML. */
  readonly hint: string
}

export interface Content {
  readonly title: string
  /** Paragraphs in HTML. */
  readonly paragraphs: ReadonlyArray<string>
  readonly forms?: ReadonlyArray<Form>
  /** Where to continue. `isNext`: the script of the page goes there when it has kept the session. */
  readonly link?: { readonly label: string; readonly to: string; readonly isNext?: boolean }
  readonly revealed?: Revealed
  /** Providers by which the user continues instead of a form. */
  readonly providers?: ReadonlyArray<{ readonly label: string; readonly to: string }> | undefined
  /** HTML. */
  readonly footer?: string
}

const revealedOf = ({ hint, label, summary, value }: Revealed, texts: PageTexts): string =>
  `<details>
<summary>${summary}</summary>
<div class="field">
<label for="revealed">${label}</label>
<input id="revealed" type="text" readonly value="${escapeHtml(value)}" aria-describedby="revealed-hint">
<p class="hint" id="revealed-hint">${hint}</p>
</div>
<button type="button" class="button" data-copies="revealed" data-copied="${texts.copied}" hidden>${texts.copy}</button>
</details>`

/** Where the script and the style of the page are. `session` is what the script keeps for the console. */
interface FormFrame {
  readonly assets: string
  readonly entry: ConsoleEntry
  readonly session: object | undefined
}

/** Returns a page with paragraphs, and forms below. */
export const formPage = (page: Page, texts: PageTexts, { assets, entry, session }: FormFrame): string => {
  const { footer, forms = [], link, paragraphs, providers = [], revealed, title } = page(texts)
  const isWrong = forms.some(({ wrong }) => wrong !== undefined)
  const made = forms.map((form) => formOf(form, texts)).join("\n")
  const others = providers
    .map(({ label, to }) => `<a class="button" data-signs-in href="${escapeHtml(to)}">${label}</a>\n`)
    .join("")
  const isWide = forms.length > 1
  const asset = (name: string) => escapeHtml(`${assets}/${name}`)
  const kept =
    session === undefined ? "" : `<meta name="sheaf-session" content="${escapeHtml(JSON.stringify(session))}">\n`
  return frame({
    lang: texts.lang,
    title: isWrong ? texts.wrongTitle(title) : title,
    head: `${kept}<link rel="icon" type="image/svg+xml" href="${asset(entry.icons["sheaf.svg"]!)}">
<link rel="stylesheet" href="${asset(entry.accountPages)}">
<script type="module" src="${asset(entry.accountForms)}"></script>
`,
    body: `<main class="welcome${isWide ? " wide" : ""}">
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n")}
${isWide ? `<div class="ways-in">\n${made}\n</div>` : made}${others === "" ? "" : `\n<div class="providers">\n${others}</div>\n`}${
      link === undefined
        ? ""
        : `<a class="button main"${link.isNext === true ? " data-next" : ""} href="${escapeHtml(link.to)}">${link.label}</a>\n`
    }${revealed === undefined ? "" : revealedOf(revealed, texts)}${footer === undefined ? "" : `\n<footer>${footer}</footer>`}
</main>`
  })
}

/** Returns the errors of a form for a failure of a service, as sentences. */
export const formErrors =
  (error: SheafError, fields: ReadonlyArray<Field>): FormErrors =>
  (texts) => {
    const problem = texts.problem(error.code, error.detail)
    if (error._tag === "RateLimited") return { message: texts.throttledFor(problem, error.retry_after) }
    if (error._tag === "Unavailable") return { message: texts.busy }
    const wrong: Record<string, string> = {}
    for (const { code, field: name, message } of error._tag === "Invalid" ? (error.errors ?? []) : []) {
      const field = fields.find((each) => each.name === name)
      if (field !== undefined) wrong[name] ??= texts.fieldProblem(texts.labels[field.name], code, message)
    }
    return Object.keys(wrong).length > 0 ? { fields: wrong } : { message: problem }
  }
