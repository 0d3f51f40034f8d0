import type { TestApp } from "../TestApp.ts"

/** The status and the text of `/readyz`. */
export const readyz = async (app: TestApp): Promise<readonly [status: number, text: string]> => {
  const response = await fetch(new URL("/readyz", app.url))
  return [response.status, (await response.text()).trim()]
}

/** The value of a metric without labels. */
export const metric = async (app: TestApp, name: string): Promise<number> => {
  const text = await (await fetch(new URL("/metrics", app.url))).text()
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1])
}

/** Moves the clocks of nodes to their next look at a schedule, and waits until it and the work that it begins have ended. */
export const look = (apps: ReadonlyArray<TestApp>) => Promise.all(apps.map((app) => app.advance("30 seconds")))
