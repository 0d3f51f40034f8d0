import { pathTo } from "../PageData.ts"

/** The name of the file of the renderer, with a hash of its content. Defined by the bundle. */
declare const RENDERER: string

export const rendererAddress = pathTo(`/assets/${RENDERER}`)

/** Loads the renderer, so that the service worker stores it. Its next version does so when it is installed. */
export const storeRenderer = async (): Promise<void> => {
  const { serviceWorker } = navigator
  await serviceWorker.ready
  if (serviceWorker.controller === null)
    await new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve, { once: true }))
  await fetch(rendererAddress)
}
