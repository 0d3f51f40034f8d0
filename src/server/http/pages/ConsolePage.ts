import type { Policies } from "../../../../services/workspaces/Plans.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import type { ConsoleEntry } from "./ConsoleEntry.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"

/** Colours of the browser's frame around the page. */
const colours = { light: "#f6f5f1", dark: "#121416" }

/** Settings of the server for the script of the page. */
interface PageData {
  /** The path of the console. */
  readonly base: string
  /** The path of the API. */
  readonly api: string
  /** Who may create an account. */
  readonly signUp: Policies["signUp"]
  /** The providers by which users sign in. */
  readonly providers: ReadonlyArray<{ readonly number: number; readonly name: string; readonly issuer: string }>
  /** Whether passwords sign in. */
  readonly passwords: boolean
  /** Whether passkeys sign in: the server has them for a host name, and with HTTPS. */
  readonly passkeys: boolean
  /** The path of the style of rendered notes. */
  readonly noteStyle: string
  /** The path of the editor's module. */
  readonly editorAsset: string
  /** The nonce that styles of this page need, which the editor adds at run time. */
  readonly nonce: string
}

/** The page of the console, in which its script shows everything. */
export const consolePage = (
  { icons, preloads, script, style }: ConsoleEntry,
  data: PageData,
  texts: PageTexts
): string => {
  const asset = (name: string) => escapeHtml(`${data.base}/assets/${name}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${colours.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${colours.dark}" media="(prefers-color-scheme: dark)">
<meta name="sheaf" content="${escapeHtml(JSON.stringify(data))}">
<title>Sheaf</title>
<link rel="icon" type="image/svg+xml" href="${asset(icons["sheaf.svg"]!)}">
<link rel="apple-touch-icon" href="${asset(icons["sheaf-192.png"]!)}">
<link rel="manifest" href="${escapeHtml(data.base)}/manifest.webmanifest">
<link rel="stylesheet" href="${asset(style)}">
${preloads.map((name) => `<link rel="modulepreload" href="${asset(name)}">\n`).join("")}<script type="module" src="${asset(script)}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p lang="${texts.lang}">${texts.needsScript}</p></noscript>
</body>
</html>
`
}

/** The manifest with which browsers install the console as an app. `base` is the path of the console. */
export const consoleManifest = ({ icons }: ConsoleEntry, base: string): string =>
  JSON.stringify({
    id: `${base}/`,
    name: "Sheaf",
    short_name: "Sheaf",
    description: "Notes, also without a network",
    start_url: `${base}/`,
    scope: `${base}/`,
    display: "standalone",
    background_color: colours.light,
    theme_color: colours.light,
    icons: [
      { src: `${base}/assets/${icons["sheaf.svg"]!}`, type: "image/svg+xml", sizes: "any", purpose: "any maskable" },
      ...[192, 512].map((size) => ({
        src: `${base}/assets/${icons[`sheaf-${size}.png`]!}`,
        type: "image/png",
        sizes: `${size}x${size}`,
        purpose: "any maskable"
      }))
    ],
    share_target: {
      action: `${base}/share`,
      method: "POST",
      enctype: "multipart/form-data",
      params: { title: "title", text: "text", url: "url", files: [{ name: "files", accept: ["*/*"] }] }
    }
  })
