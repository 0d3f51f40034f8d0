import { type Language, languageIn } from "../../../services/languages/Language.ts"
import { readLocales } from "./accounts/KeptAccounts.ts"
import { copyPrefix } from "./offline/CopyMarks.ts"
import { SharedForms } from "./SharedForms.ts"

/** The members of a service worker that are used, whose types conflict with those of a page. */
interface FetchEvent extends Event {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}
interface ExtendableEvent extends Event {
  readonly waitUntil: (task: Promise<unknown>) => void
}
interface PushEvent extends ExtendableEvent {
  readonly data: { readonly json: () => unknown } | null
}
interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification
}
/** A page of the console. `nested` is the frame of a note in one. */
interface Tab {
  readonly id: string
  readonly frameType: "top-level" | "auxiliary" | "nested" | "none"
}
interface TabMessage extends ExtendableEvent {
  readonly ports: ReadonlyArray<MessagePort>
  readonly source: Tab | null
}
interface Worker {
  readonly registration: {
    readonly scope: string
    readonly showNotification: (title: string, options: NotificationOptions) => Promise<void>
  }
  readonly clients: {
    readonly claim: () => Promise<void>
    readonly matchAll: (options: { type: "window"; includeUncontrolled: true }) => Promise<ReadonlyArray<Tab>>
    readonly openWindow: (url: string) => Promise<unknown>
  }
  readonly skipWaiting: () => Promise<void>
  readonly addEventListener: ((type: "fetch", listener: (event: FetchEvent) => void) => void) &
    ((type: "install" | "activate", listener: (event: ExtendableEvent) => void) => void) &
    ((type: "message", listener: (event: TabMessage) => void) => void) &
    ((type: "push", listener: (event: PushEvent) => void) => void) &
    ((type: "notificationclick", listener: (event: NotificationEvent) => void) => void)
}
declare const self: Worker

/** Names of the files of the page, each with a hash of its content. Defined by the bundle. */
declare const ASSETS: ReadonlyArray<string>

/** The file with the texts of each language, which is stored for its users only. Defined by the bundle. */
declare const LANGUAGES: Readonly<Partial<Record<Language, string>>>

/** The file of the renderer of notes, which is stored for users who keep notes on this device. Defined by the bundle. */
declare const RENDERER: string

/**
 * The page and its files, so that the console opens without a network. Data of the API is never stored here. Each version
 * has its own cache: a tab that was opened before an update still loads its files, such as those of the editor. The worker of
 * the new version, which deletes the other caches, is activated when no such tab is left, or the only one asks for it.
 */
const prefix = "sheaf-console "
const cacheName = prefix + ASSETS.join()
const page = self.registration.scope
const assets = new URL("assets/", page).href
const shareAddress = new URL("share", page).href
/** The server sees there where shared content comes from: it must not be asked by this worker, whose site is the own. */
const checkPath = new URL("share/check", page).pathname
const keptPath = new URL("share/kept", page).pathname
const foreignPath = new URL("share/foreign", page).pathname

const language = async (): Promise<Language> => languageIn(await readLocales())

/** The databases on the device. Without them, the renderer is stored when it is first loaded. */
const storedNames = async (): Promise<ReadonlyArray<IDBDatabaseInfo>> => {
  try {
    return await indexedDB.databases()
  } catch {
    return []
  }
}

const install = async (): Promise<void> => {
  const cache = await caches.open(cacheName)
  const texts = LANGUAGES[await language()]
  const hasCopy = (await storedNames()).some(({ name }) => name?.startsWith(copyPrefix))
  const more = [...(texts === undefined ? [] : [texts]), ...(hasCopy ? [RENDERER] : [])]
  await cache.addAll([page, ...[...ASSETS, ...more].map((name) => assets + name)])
}

const activate = async (): Promise<void> => {
  const earlier = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName)
  await Promise.all(earlier.map((name) => caches.delete(name)))
  // The first tab, which was opened before there was a worker.
  await self.clients.claim()
}

/** Milliseconds after which a page is loaded again although the earlier worker still has requests. */
const longestTakeOver = 5_000

/**
 * Takes over from the worker of the earlier version for a tab that asks, unless other tabs need the files of that, and says whether
 * it does. The earlier worker may still have requests of the tab, which end when the tab is loaded again. The tab may be gone by
 * now.
 */
const takeOver = async ({ ports, source }: TabMessage): Promise<void> => {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const others = all.filter(({ frameType, id }) => frameType !== "nested" && id !== source?.id)
  const isAlone = others.length === 0
  if (isAlone) await Promise.race([self.skipWaiting(), new Promise((done) => setTimeout(done, longestTakeOver))])
  ports[0]?.postMessage(isAlone)
}

/** Statuses with which a proxy says that the server is away. */
const away = [502, 503, 504]

/** Milliseconds until a server that does not respond counts as away. */
const longestWait = 10_000

const isServerThere = async (): Promise<boolean> => {
  try {
    const init = { cache: "no-store", signal: AbortSignal.timeout(longestWait) } as const
    return !away.includes((await fetch(new URL("manifest.webmanifest", page), init)).status)
  } catch {
    return false
  }
}

const shared = new SharedForms(page, isServerThere)

/** The page of the server; the stored one while the server cannot be reached. */
const pageResponse = async (request: Request): Promise<Response> => {
  const stored = () => caches.match(page, { cacheName })
  try {
    const response = await fetch(request)
    return (away.includes(response.status) ? await stored() : undefined) ?? response
  } catch (error) {
    const found = await stored()
    if (found === undefined) throw error
    return found
  }
}

/** A file whose name has a hash of its content: the stored one is never out of date. */
const assetResponse = async (request: Request): Promise<Response> => {
  const stored = await caches.match(request, { cacheName })
  if (stored !== undefined) return stored
  const response = await fetch(request)
  // The user has another language than before, or begins to keep notes on this device.
  if (response.ok && [...Object.values(LANGUAGES), RENDERER].some((name) => request.url === assets + name))
    await (await caches.open(cacheName)).put(request, response.clone()).catch(console.warn)
  return response
}

/** The words of notifications: a note without a title, and what is shown. */
const words: Readonly<Record<Language, readonly [untitled: string, reminder: string]>> = {
  en: ["Untitled", "Reminder"],
  de: ["Ohne Titel", "Erinnerung"],
  fr: ["Sans titre", "Rappel"],
  es: ["Sin título", "Recordatorio"],
  zh: ["无标题", "提醒"]
}

/** The message of a fired reminder (contract 5). */
interface Reminder {
  readonly id: string
  readonly workspace_id: string
  readonly note_id: string
  readonly title: string
}

/** Shows a reminder, also while the console is closed. Each firing replaces the earlier notification of the reminder. */
const showReminder = async ({ id, note_id, title, workspace_id }: Reminder): Promise<void> => {
  const [untitled, body] = words[await language()]
  await self.registration.showNotification(title || untitled, {
    body,
    tag: id,
    data: `${page}all/${note_id}?workspace=${workspace_id}`
  })
}

self.addEventListener("push", (event) => {
  if (event.data !== null) event.waitUntil(showReminder(event.data.json() as Reminder))
})

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(self.clients.openWindow(event.notification.data as string))
})

self.addEventListener("install", (event) => event.waitUntil(install()))

self.addEventListener("activate", (event) => event.waitUntil(activate()))

self.addEventListener("message", (event) => event.waitUntil(takeOver(event)))

self.addEventListener("fetch", (event) => {
  const { request } = event
  const { method, mode, url } = request
  const { pathname, searchParams } = new URL(url)
  if (method === "POST" && url === shareAddress) event.respondWith(shared.receive(request))
  else if (method !== "GET" || pathname === checkPath) return
  else if (pathname === keptPath) event.respondWith(shared.keep(searchParams.get("key") ?? ""))
  else if (pathname === foreignPath) event.respondWith(shared.refuse(searchParams.get("key") ?? ""))
  else if (url.startsWith(assets)) event.respondWith(assetResponse(request))
  else if (mode === "navigate") event.respondWith(pageResponse(request))
})
