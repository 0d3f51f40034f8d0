import { renderingVersion } from "../../../../services/markdown/Rendered.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, headersOf, styled } from "../responses/HtmlPage.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"

/** The pages of shares: the note, the form for the password, and messages. */

/** The style of shared notes, which the console also uses for rendered notes. */
export const noteStyle = styled(`
:root { --word: #b3202c; --string: #0a3069; --remark: #59636e; --name: #7a3fd1; --value: #0550ae; --field: #8a3400; --plus: #dcf5e1; --minus: #ffe3e0 }
@media (prefers-color-scheme: dark) {
  :root { --word: #ff8f87; --string: #a5d6ff; --remark: #a3a9b1; --name: #d2a8ff; --value: #79c0ff; --field: #ffb77c; --plus: #16381f; --minus: #47201d }
}
h3 { font-size: 1.225rem } h4 { font-size: 1.0625rem } h5, h6 { font-size: 1rem; color: var(--soft) }
.text { margin-top: 2.25rem }
.text > :first-child { margin-top: 0 }
ul, ol { padding-inline-start: 1.5em } ol { padding-inline-start: 2.25em } li { margin: .25em 0 } li > ul, li > ol { margin-bottom: 0 } li > p { margin-bottom: .5em }
[dir="ltr"] > li[dir="rtl"], [dir="rtl"] > li[dir="ltr"] { list-style-position: inside }
.task-list-item { list-style: none }
.task-list-item input { margin-block: 0; margin-inline: -1.45em .45em; width: 1em; height: 1em; vertical-align: -.1em; accent-color: var(--link) }
[dir="ltr"] > .task-list-item[dir="rtl"] input, [dir="rtl"] > .task-list-item[dir="ltr"] input { margin-inline-start: 0 }
:target, :has(> span:target), span:target + * { background: var(--mark) }
img { max-width: 100%; height: auto; border-radius: .35rem; vertical-align: middle } img.sized { height: revert-layer; object-fit: contain; object-position: left top }
hr { border: 0; border-top: 1px solid var(--line); margin: 2.5em 0 }
pre { background: var(--code); padding: .9rem 1.1rem; border-radius: .5rem; overflow-x: auto; overflow-wrap: normal; font-size: .875rem; line-height: 1.55; tab-size: 4 }
pre code { background: none; padding: 0; font-size: inherit }
pre, code { direction: ltr; unicode-bidi: isolate; text-align: left }
.hljs-keyword, .hljs-doctag, .hljs-template-tag, .hljs-type, .hljs-selector-tag, .hljs-name { color: var(--word) }
.hljs-string, .hljs-regexp, .hljs-meta .hljs-string, .hljs-template-variable, .hljs-symbol { color: var(--string) }
.hljs-comment, .hljs-quote, .hljs-formula { color: var(--remark); font-style: italic }
.hljs-title, .hljs-title.class_, .hljs-title.function_, .hljs-section { color: var(--name) }
.hljs-number, .hljs-literal, .hljs-meta, .hljs-attr, .hljs-attribute, .hljs-operator, .hljs-selector-id, .hljs-selector-class { color: var(--value) }
.hljs-built_in, .hljs-variable, .hljs-params .hljs-title, .hljs-bullet, .hljs-link { color: var(--field) }
.hljs-emphasis { font-style: italic } .hljs-strong { font-weight: 700 }
.hljs-addition { background: var(--plus) } .hljs-deletion { background: var(--minus) }
pre.plain { white-space: pre-wrap; overflow-wrap: anywhere }
kbd { font-size: .8em; padding: .12em .45em; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: .3em; background: var(--code) }
mark { background: var(--mark); color: inherit; border-radius: .15em }
blockquote { margin-inline: 0; padding: .1em 0; padding-inline-start: 1.1em; border-inline-start: .25em solid var(--line); color: var(--soft) }
blockquote > :last-child, li > :last-child, details > :last-child { margin-bottom: 0 }
.callout { --tone: var(--note); padding: .8em 1.1em; border-inline-start: .25em solid var(--tone); border-radius: .4rem; background: var(--code); color: inherit }
.callout pre, .callout code { background: var(--ground) } .callout pre code { background: none }
.callout-title { margin-bottom: .35em; font-weight: 650; color: var(--tone) } .callout-title:last-child { margin: 0 }
.callout-tip, .callout-hint, .callout-success, .callout-check, .callout-done { --tone: var(--tip) }
.callout-warning, .callout-caution, .callout-attention, .callout-question, .callout-help, .callout-faq, .callout-important { --tone: var(--warn) }
.callout-danger, .callout-error, .callout-bug, .callout-failure, .callout-fail, .callout-missing { --tone: var(--danger) }
.callout-quote, .callout-cite, .callout-example, .callout-abstract { --tone: var(--soft) }
details.callout { border: 0; border-inline-start: .25em solid var(--tone); padding: .8em 1.1em } .callout > summary { margin-bottom: 0 } details.callout[open] > summary { margin-bottom: .35em }
.missing, a[href^="#missing:"] { color: var(--soft); border-bottom: 1px dashed currentColor }
a[href^="#ambiguous:"] { border-bottom: 1px dotted currentColor } a[href^="#missing:"], a[href^="#ambiguous:"] { text-decoration: none } a[href^="#ambiguous:"]::after { content: "?"; font-size: .75em; vertical-align: super; line-height: 0 }
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Noto Sans Math", math; font-size: 1.08em; line-height: normal; overflow-wrap: normal }
math * { border-color: currentColor }
math:not([display="block"]) { display: inline-flex; flex-wrap: wrap; align-items: baseline; max-width: 100% }
.formula { display: block; overflow: auto hidden; max-width: 100%; padding: .35em .1em; text-align: center } .formula + p { margin-top: .8em }
.formula > .tex { white-space: pre-wrap }
mtd.tml-right { text-align: -webkit-right; text-align: right } mtd.tml-left { text-align: -webkit-left; text-align: left }
mtd.tml-l0 { padding-left: 0 } mtd.tml-r0 { padding-right: 0 } .tml-jot > mtr > mtd { padding-block: .7ex } .tml-small mtd { padding-block: .35ex }
mtable:has(> .tml-tageqn) { width: 100% } .tml-tageqn > mtd:first-child, .tml-tageqn > mtd:last-child { padding: 0; width: 50% }
.tml-fbox { padding: 3pt; border: 1px solid } .tml-overline { padding-top: .1em; border-top: .065em solid } .tml-underline { padding-bottom: .1em; border-bottom: .065em solid }
menclose { display: inline-block; position: relative; padding: .5ex 0 }
.tml-cancel, .tml-xcancel { display: inline-block; position: absolute; left: .5px; bottom: 0; width: 100%; height: 100%; background: currentColor }
.upstrike { clip-path: polygon(.05em 100%, 0 calc(100% - .05em), calc(100% - .05em) 0, 100% .05em) } .downstrike { clip-path: polygon(0 .05em, .05em 0, 100% calc(100% - .05em), calc(100% - .05em) 100%) }
.sout { clip-path: polygon(0 calc(55% + .033em), 0 calc(55% - .033em), 100% calc(55% - .033em), 100% calc(55% + .033em)) }
.tml-xcancel { clip-path: polygon(.05em 0, 0 .05em, calc(50% - .05em) 50%, 0 calc(100% - .05em), .05em 100%, 50% calc(50% + .05em), calc(100% - .05em) 100%, 100% calc(100% - .05em), calc(50% + .05em) 50%, 100% .05em, calc(100% - .05em) 0, 50% calc(50% - .05em)) }
.table { overflow-x: auto } .table:has(> [dir="rtl"]) { direction: rtl }
table { border-collapse: collapse; font-size: .95em; line-height: 1.5; overflow-wrap: normal }
th, td { padding: .45em .8em; border: 1px solid var(--line); vertical-align: top; text-align: start; min-width: 4em }
th { background: var(--code); font-weight: 650 }
[align="center"] { text-align: center } [align="right"] { text-align: right }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .6em 1em } summary { cursor: pointer; font-weight: 600 } details[open] summary { margin-bottom: .6em }
dt { font-weight: 600 } dd { margin-inline-start: 1.5em }
sup, sub { line-height: 0; font-size: .75em } sup a { padding: 0 .15em }
.footnotes { margin-top: 3rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: .9rem }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0 }
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --ground: #fff; --code: #f4f4f4; --link: #000; --note: #000; --tip: #000; --warn: #000; --danger: #000; --mark: #eee }
  @page { margin: 2cm }
  body { padding: 0; max-width: none; font-size: 11pt; line-height: 1.5 }
  footer { display: none }
  pre { white-space: pre-wrap; overflow-wrap: anywhere } .table { overflow: visible }
  pre, blockquote, img, tr { break-inside: avoid } thead { display: table-header-group }
  .text a[href^="http"]::after { content: " (" attr(href) ")"; font-size: .8em; color: var(--soft) }
}
`)

/** The version of the pages without the style: raise it after a change of the head or of the frame. */
const pageVersion = 3
/** It is part of ETags, so that clients fetch a page again when the style or the rendering has changed. */
export const edition = `${noteStyle.source.slice("'sha256-".length).slice(0, 8)}.${pageVersion}.${renderingVersion}`

/** Headers of a share and of its files: they are not indexed, and referrers do not contain the link. */
export const privateHeaders: Readonly<Record<string, string>> = {
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff"
}

export const pageHeaders: Readonly<Record<string, string>> = {
  ...headersOf(noteStyle),
  ...privateHeaders,
  vary: "Accept, Cookie, Share-Password, Accept-Language"
}

/** The attribute of a text of the page that is in another language than the note. */
const langOf = (texts: PageTexts, lang: string): string =>
  lang.split("-", 1)[0]!.toLowerCase() === texts.lang.split("-", 1)[0] ? "" : ` lang="${texts.lang}"`

const dayIn = (time: string, { lang }: PageTexts): string =>
  new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "long", timeZone: "UTC" }).format(new Date(time))

interface NotePage {
  /** The absolute address of the page. */
  readonly url: string
  readonly title: string
  readonly description: string
  readonly lang: string
  readonly updated_at: string
  readonly texts: PageTexts
  /** The body of the note as safe HTML. */
  readonly html: string
}

export const notePage = ({ description, html, lang, texts, title, updated_at, url }: NotePage): string => {
  const own = langOf(texts, lang)
  const about = escapeHtml(description)
  const name = escapeHtml(title)
  return frame({
    style: noteStyle,
    lang,
    title,
    head: `<meta name="description" content="${about}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Sheaf">
<meta property="og:url" content="${escapeHtml(url)}">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${about}">
<meta property="article:modified_time" content="${updated_at}">
`,
    body: `<main>
<article>
<header>
<h1 dir="auto">${name}</h1>
<p class="about"${own}>${texts.share.updated(`<time datetime="${updated_at}">${dayIn(updated_at, texts)}</time>`)}</p>
</header>
<div class="text" dir="auto">
${html === "" ? `<p class="about"${own}>${texts.share.empty}</p>` : html}
</div>
</article>
</main>
<footer${own}>${texts.share.footer}</footer>`
  })
}

/** The form for the password, without any content of the note. `path` is that of the share. */
export const passwordPage = (texts: PageTexts, path: string, isWrong: boolean): string =>
  frame({
    style: noteStyle,
    lang: texts.lang,
    title: texts.share.protectedTitle,
    body: `<main>
<h1>${texts.share.protected}</h1>
<p class="about">${texts.share.askPassword}</p>
<form method="post" action="${escapeHtml(path)}">
${isWrong ? `<p class="bad" id="wrong" role="alert">${texts.share.wrongPassword}</p>\n` : ""}<label for="password">${texts.labels.password}</label>
<input type="password" id="password" name="password" required autocomplete="current-password"${
      isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : ""
    }>
<button type="submit">${texts.share.open}</button>
</form>
</main>`
  })

export const messagePage = (
  { lang }: PageTexts,
  [title, ...paragraphs]: readonly [title: string, ...paragraphs: ReadonlyArray<string>]
): string =>
  frame({
    style: noteStyle,
    lang,
    title,
    body: `<main>\n<h1>${title}</h1>\n${paragraphs.map((text) => `<p class="about">${text}</p>\n`).join("")}</main>`
  })
