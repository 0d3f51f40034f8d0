import { fromAnywhere } from "../FromAnywhere.ts"
import type { Answer, TestApp } from "../TestApp.ts"
import { expectSound } from "./Sound.ts"

/**
 * Sends requests, which nobody has signed unless their headers say so, each from an address of its own, and sees that
 * the answers are sound.
 */
export const asking =
  (app: TestApp) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await app.call(method, path, body, { authorization: "", ...fromAnywhere(), ...headers })
    return expectSound(answer, `${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(headers)}`.slice(0, 1000))
  }

export type Ask = ReturnType<typeof asking>
