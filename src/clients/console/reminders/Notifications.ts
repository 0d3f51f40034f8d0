import { pathTo } from "../PageData.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Web Push to this browser, by which reminders come also while the console is closed. */

/** Whether the browser can get messages. It needs HTTPS, or the own machine. */
export const canSubscribe = isSecureContext && "serviceWorker" in navigator && "PushManager" in window

const managerOf = async (): Promise<PushManager | undefined> =>
  canSubscribe ? (await navigator.serviceWorker.getRegistration(pathTo("/")))?.pushManager : undefined

/** The device of the session, which belongs to the personal workspace of the user. */
const deviceOf = ({ account: { session } }: WorkspaceStore) =>
  [{ id: session.device_id }, { workspace: session.workspace_id }] as const

export const isSubscribed = async (store: WorkspaceStore): Promise<boolean> => {
  const own = await (await managerOf())?.getSubscription()
  if (own === undefined || own === null) return false
  return (await store.client.getPushSubscription(...deviceOf(store))).endpoint === own.endpoint
}

const send = async (store: WorkspaceStore, subscription: PushSubscription): Promise<void> => {
  const { endpoint, keys } = subscription.toJSON()
  const [device, options] = deviceOf(store)
  const input = { endpoint: endpoint!, keys: { p256dh: keys!["p256dh"]!, auth: keys!["auth"]! } }
  await store.client.putPushSubscription({ ...device, ...input }, options)
}

/** Asks the user to allow notifications, and returns whether this browser gets them from now on. */
export const subscribe = async (store: WorkspaceStore): Promise<boolean> => {
  const manager = await managerOf()
  if (manager === undefined || (await Notification.requestPermission()) !== "granted") return false
  const { public_key } = await store.client.getPushSubscription(...deviceOf(store))
  const options = { userVisibleOnly: true, applicationServerKey: public_key }
  try {
    await send(store, await manager.subscribe(options))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    // The browser has a subscription for an earlier key of the server, or no push service.
    await (await manager.getSubscription())?.unsubscribe()
    const again = await manager.subscribe(options).catch(() => undefined)
    if (again === undefined) return false
    await send(store, again)
  }
  return true
}

/** Sends the subscription of this browser again: it ends with the session that has sent it. */
export const renew = async (store: WorkspaceStore): Promise<void> => {
  const own = await (await managerOf())?.getSubscription()
  if (own !== undefined && own !== null) await send(store, own)
}
