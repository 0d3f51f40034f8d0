import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Blobs } from "../../../../services/files/Blobs.ts"
import { Passkeys } from "../../../../services/identity/factors/Passkeys.ts"
import { PasswordSignIn } from "../../../../services/identity/PasswordSignIn.ts"
import { Providers } from "../../../../services/oidc/Providers.ts"
import { Randomness } from "../../../../services/Randomness.ts"
import { Plans } from "../../../../services/workspaces/Plans.ts"
import { html, prefixOf } from "../responses/HtmlPage.ts"
import { problem } from "../responses/Problem.ts"
import { StaticResponse } from "../responses/StaticResponse.ts"
import { closingUnread } from "../server/Uploads.ts"
import { consoleFiles } from "./ConsoleEntry.ts"
import { consoleEntry, consoleFile } from "./ConsoleFiles.ts"
import { consoleManifest, consolePage } from "./ConsolePage.ts"
import { pageTexts } from "./languages/PageLanguages.ts"

const script = "text/javascript; charset=utf-8"

const contentTypes: Readonly<Record<string, string>> = {
  js: script,
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
  map: "application/json"
}

/** A name with a hash of the content, and the extension that states the type. */
const assetName = /^[\w-]{1,100}-[\dA-Za-z]{8}(?:\.[a-z]{1,5})?\.([a-z\d]{1,5})$/

const forever = "public, max-age=31536000, immutable"

const common = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** Features of browsers that the page does not use. */
const refusedFeatures = ["camera", "geolocation", "microphone", "payment", "usb"].map((name) => `${name}=()`).join(", ")

/** `origins` are those of addresses of files. The editor adds its styles with the nonce. */
const policyOf = (origins: ReadonlyArray<string>, nonce: string): string => {
  const own = ["'self'", ...origins].join(" ")
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob:`,
    `connect-src ${own}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    // The frame of a rendered note, whose document is in the page.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/**
 * Whether an app of the device has shared the content with which a browser comes, or the console itself: not a page of
 * another origin. Browsers that share say so.
 */
const isOfDevice = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  ["none", "same-origin"].includes(headers["sec-fetch-site"] ?? "")

const noSuchFile = problem({ status: 404, code: "route_not_found", detail: "The console has no such file" })

/** `/console`, the web console: a page, its files and its manifest (contract, section 1). No key is needed. */
export const ConsoleHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const randomness = yield* Randomness
      const { direct } = yield* Blobs
      const { signUp } = yield* Plans
      const { isOff } = yield* PasswordSignIn
      const { rp_id } = yield* Passkeys
      const providers = (yield* Providers).all.map(({ issuer, name, number }) => ({ number, name, issuer }))
      const prefix = prefixOf(publicUrl)
      const base = `${prefix}/console`

      const read = (name: string) => Effect.promise(() => consoleFile(name))

      /** Addresses of files have the host of PUBLIC_URL, which can differ from that of the page, or that of a bucket. */
      const origins = Effect.map(
        direct === undefined ? Effect.succeed([]) : Effect.map(direct.origin, (of) => [of]),
        (of) => [new URL(publicUrl).origin, ...of]
      )

      const page = Effect.gen(function* () {
        const nonce = randomness.bytes(16).toString("base64")
        const entry = yield* consoleEntry
        const assets = `${base}/assets`
        const data = {
          base,
          api: `${prefix}/v2`,
          signUp,
          providers,
          // While the database is away, the page still shows what the device has.
          passwords: !(yield* Effect.orElseSucceed(isOff, () => false)),
          passkeys: rp_id !== undefined,
          noteStyle: `${assets}/${entry.noteStyle}`,
          editorAsset: `${assets}/${entry.editor}`,
          nonce
        }
        return html(consolePage(entry, data, yield* pageTexts), 200, {
          ...common,
          "content-security-policy": policyOf(yield* origins, nonce),
          "cache-control": "no-cache",
          vary: "Accept-Language",
          "cross-origin-opener-policy": "same-origin",
          "permissions-policy": refusedFeatures,
          "x-robots-tag": "noindex, nofollow"
        })
      })

      /** Responses by the name of the file. */
      const kept = new Map<string, StaticResponse>()
      const keptOr = (name: string, make: Effect.Effect<StaticResponse | undefined>) =>
        Effect.suspend(() => {
          const known = kept.get(name)
          if (known !== undefined) return known.response
          return Effect.flatMap(make, (response) => {
            if (response === undefined) return noSuchFile
            kept.set(name, response)
            return response.response
          })
        })

      const asset = (name: string) =>
        keptOr(
          name,
          Effect.gen(function* () {
            const contentType = contentTypes[assetName.exec(name)?.[1] ?? ""]
            if (contentType === undefined) return undefined
            const content = yield* read(consoleFiles.asset(name))
            return content === undefined
              ? undefined
              : new StaticResponse(content, { contentType, headers: { ...common, "cache-control": forever } })
          })
        )

      const worker = keptOr(
        consoleFiles.worker,
        Effect.map(read(consoleFiles.worker), (content) =>
          content === undefined
            ? undefined
            : new StaticResponse(content, {
                contentType: script,
                headers: { ...common, "service-worker-allowed": `${base}/` }
              })
        )
      )

      const manifest = keptOr(
        "manifest.webmanifest",
        Effect.map(
          consoleEntry,
          (found) =>
            new StaticResponse(consoleManifest(found, base), {
              contentType: "application/manifest+json",
              headers: common
            })
        )
      )

      // The pattern also matches `/console`.
      yield* router.add("GET", "/console/*", page)
      yield* router.add(
        "GET",
        "/console/assets/*",
        Effect.flatMap(HttpRouter.RouteContext, ({ params }) => asset(params["*"] ?? ""))
      )
      yield* router.add("GET", `/console/${consoleFiles.worker}`, worker)
      yield* router.add("GET", "/console/manifest.webmanifest", manifest)
      const redirect = (to: string) =>
        HttpServerResponse.empty({
          status: 303,
          headers: { ...common, location: `${base}/${to}`, "cache-control": "no-store" }
        })
      // The service worker keeps what other apps share. Without it, the shared content is lost, and the console opens.
      yield* router.add("POST", "/console/share", Effect.as(closingUnread, redirect("?shared=lost")))
      yield* router.add(
        "GET",
        "/console/share/check",
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
          const key = new URL(request.url, publicUrl).searchParams.get("key") ?? ""
          const to = isOfDevice(request) ? "kept" : "foreign"
          return redirect(`share/${to}?key=${encodeURIComponent(key)}`)
        })
      )
      yield* router.add("GET", "/console/share/kept", redirect("?shared=lost"))
      yield* router.add("GET", "/console/share/foreign", redirect("?shared=foreign"))
    })
  )
