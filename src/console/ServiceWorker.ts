import { set } from "idb-keyval"
import { type SharedContent, sharedKey, sharedStore } from "./notes/SharedContent.ts"

/** What is used of a service worker, whose types conflict with those of a page. */
interface FetchEvent extends Event {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}
interface ExtendableEvent extends Event {
  readonly waitUntil: (task: Promise<unknown>) => void
}
interface Worker {
  readonly registration: { readonly scope: string }
  readonly skipWaiting: () => Promise<void>
  readonly addEventListener: ((type: "fetch", listener: (event: FetchEvent) => void) => void) &
    ((type: "install" | "activate", listener: (event: ExtendableEvent) => void) => void)
}
declare const self: Worker

/** The page and its files, so that the console opens without a network. Data of the API is never stored here. */
const cacheName = "sheaf-console"
const page = self.registration.scope
const assets = new URL("assets/", page).href
const shareAddress = new URL("share", page).href

/** The page of the server; the stored one without a network. */
const pageResponse = async (request: Request): Promise<Response> => {
  const cache = await caches.open(cacheName)
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(page, response.clone())
    return response
  } catch (error) {
    const stored = await cache.match(page)
    if (stored === undefined) throw error
    return stored
  }
}

/** A file whose name has a hash of its content: the stored one is never out of date. */
const assetResponse = async (request: Request): Promise<Response> => {
  const cache = await caches.open(cacheName)
  const stored = await cache.match(request)
  if (stored !== undefined) return stored
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** Keeps what another app shares until the page makes a note of it. */
const shareResponse = async (request: Request): Promise<Response> => {
  const form = await request.formData()
  const text = (name: string) => String(form.get(name) ?? "")
  const files = form.getAll("files").filter((part) => part instanceof File)
  const shared: SharedContent = { title: text("title"), text: text("text"), url: text("url"), files }
  await set(sharedKey, shared, sharedStore())
  return Response.redirect(`${page}?shared`, 303)
}

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()))

// Files of earlier versions.
self.addEventListener("activate", (event) => event.waitUntil(caches.delete(cacheName)))

self.addEventListener("fetch", (event) => {
  const { request } = event
  if (request.method === "POST" && request.url === shareAddress) event.respondWith(shareResponse(request))
  else if (request.mode === "navigate" && request.method === "GET") event.respondWith(pageResponse(request))
  else if (request.url.startsWith(assets)) event.respondWith(assetResponse(request))
})
