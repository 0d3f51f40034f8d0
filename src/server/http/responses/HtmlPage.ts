import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { escapeHtml } from "../../EscapeHtml.ts"

/** The frame, the style and the security headers of all pages outside the reference. */

export interface Style {
  readonly css: string
  /** Its source expression for Content-Security-Policy. */
  readonly source: string
}

const styleOf = (css: string): Style => ({
  css,
  source: `'sha256-${createHash("sha256").update(css).digest("base64")}'`
})

const base = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b616a; --line: #d9dce1; --ground: #ffffff; --code: #f3f4f7; --link: #0b5cad;
  --mark: #fff0b3; --bad: #b3261e; --note: #0b5cad; --tip: #17724a; --warn: #8f5400; --danger: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --soft: #a3a9b1; --line: #343a42; --ground: #14171a; --code: #20252b; --link: #7cb8ff; --mark: #5a4a00;
    --bad: #ff8f87; --note: #7cb8ff; --tip: #5fd39a; --warn: #f0b45c; --danger: #ff8f87 }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0 auto; padding: clamp(1.75rem, 6vw, 4.5rem) 1.25rem 3rem; max-width: 44rem; background: var(--ground); color: var(--ink);
  font: 1.0625rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; overflow-wrap: anywhere }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; text-wrap: balance; margin: 2em 0 .5em; break-after: avoid }
h1 { margin: 0; font-size: clamp(1.75rem, 1.35rem + 2vw, 2.375rem); letter-spacing: -.015em }
h2 { font-size: 1.5rem; letter-spacing: -.01em }
main > h1 + p { margin-top: 1rem }
p, ul, ol, dl, blockquote, pre, .table, details, figure { margin: 0 0 1.1em }
.about, main > h1 + .about { margin: .6rem 0 0; color: var(--soft); font-size: .9rem }
a { color: var(--link); text-decoration-thickness: .06em; text-underline-offset: .18em }
a:hover { text-decoration-thickness: .12em }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .2rem }
code, pre, kbd, samp, tt { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
code, samp, tt { font-size: .875em; background: var(--code); padding: .12em .35em; border-radius: .3em }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem }
form { margin-top: 1.75rem; max-width: 24rem } label { display: block; font-weight: 600; margin-bottom: .35rem }
input:not([type="checkbox"]), button { font: inherit; padding: .55em .85em; border-radius: .45rem; border: 1px solid var(--soft); color: inherit; background: var(--ground); width: 100% }
button { margin-top: .9rem; background: var(--ink); color: var(--ground); border-color: var(--ink); font-weight: 600; cursor: pointer }
.bad { color: var(--bad); margin: 0 0 .9rem; font-weight: 600 }
`

/** The style of all pages, with the additions of a page. */
export const styled = (more: string): Style => styleOf(base + more)

/** `sources`: the directives for styles and scripts. */
const policyOf = (sources: string): string =>
  `default-src 'none'; ${sources}; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** Forbids foreign resources, indexing, and sending the URL to other sites. */
export const pageHeaders = (sources: string): Readonly<Record<string, string>> => ({
  "content-security-policy": policyOf(sources),
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff"
})

/** The headers of a page without scripts, with a style of its own. */
export const headersOf = ({ source }: Style): Readonly<Record<string, string>> => pageHeaders(`style-src ${source}`)

interface Parts {
  readonly style?: Style
  readonly lang?: string
  readonly title: string
  /** HTML of the head, each line with a line break. */
  readonly head?: string
  /** HTML of the body. */
  readonly body: string
}

export const frame = ({ body, head = "", lang = "en", style, title }: Parts): string =>
  `<!doctype html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${head}${style === undefined ? "" : `<style>${style.css}</style>`}
</head>
<body>
${body}
</body>
</html>
`

/** The path of PUBLIC_URL, a prefix of paths in links. */
export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, "")

export const html = (
  body: string,
  status: number,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { status, contentType: "text/html; charset=utf-8", headers })
