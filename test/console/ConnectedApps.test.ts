import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { pkce, requestOf } from "../support/oauth/OAuthFlow.ts"

/** A program on the device that waits for the browser. */
const program = async () => {
  let arrived: (url: string) => void
  const url = new Promise<string>((resolve) => (arrived = resolve))
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/callback") === true) arrived(request.url)
    response.writeHead(200, { "content-type": "text/html" }).end("<p>You can close this page.</p>")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  onTestFinished(() => void server.close())
  return { redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, url }
}

describe.skipIf(missing !== "")(`connected apps in the console${missing}`, () => {
  const given = useConsole()

  it("are allowed after a sign-in, shown, and disconnected", async () => {
    const root = given.sheaf.url.replace(/\/v2$/, "")
    const { redirect_uri, url } = await program()
    const registered = await fetch(`${root}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Assistant", redirect_uris: [redirect_uri] })
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const { challenge, verifier } = pkce()
    const who = await given.account()
    const page = await (await given.browse()).newPage()
    await page.goto(`${root}/oauth/authorize?${requestOf(client_id, challenge, { redirect_uri })}`)
    // The page is that of the console, without an account.
    await page.getByLabel("E-mail address").fill(who.email)
    await page.getByLabel("Password").fill(who.password)
    await page.getByRole("button", { name: "Sign in" }).click()
    const dialog = page.getByRole("dialog", { name: "Allow Assistant?" })
    await dialog.getByText(`It asks for access with your account ${who.email}.`).waitFor()
    await dialog.getByText("Your browser goes to a program on this device").waitFor()
    await dialog.getByLabel("write notes").uncheck()
    await dialog.getByLabel("write files").uncheck()
    await dialog.getByRole("button", { name: "Allow" }).click()
    await page.getByText("You can close this page.").waitFor()
    const code = new URLSearchParams((await url).split("?")[1]).get("code")!
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: verifier, redirect_uri }
    const tokens = await fetch(`${root}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })
    const { access_token, scope } = (await tokens.json()) as { access_token: string; scope: string }
    expect(scope).toBe("notes:read files:read")
    const works = async () =>
      (await fetch(`${given.sheaf.url}/notes`, { headers: { authorization: `Bearer ${access_token}` } })).status
    expect(await works()).toBe(200)
    await page.goto(`${root}/console/settings/apps`)
    await page.getByRole("cell", { name: "read notes, read files" }).waitFor()
    await page.getByRole("button", { name: "Disconnect Assistant" }).click()
    await page.getByRole("button", { name: "Disconnect", exact: true }).click()
    await page.getByText("You have connected no app.").waitFor()
    expect(await works()).toBe(401)
    await page.context().close()
  })

  it("are refused, which the app learns", async () => {
    const root = given.sheaf.url.replace(/\/v2$/, "")
    const { redirect_uri, url } = await program()
    const registered = await fetch(`${root}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Assistant", redirect_uris: [redirect_uri] })
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const who = await given.account()
    const { page } = await given.signedIn(who)
    await page.goto(`${root}/oauth/authorize?${requestOf(client_id, pkce().challenge, { redirect_uri })}`)
    await page.getByRole("button", { name: "Refuse" }).click()
    expect((await url).startsWith("/callback?error=access_denied&state=a+state&iss=")).toBe(true)
    await page.context().close()
  })

  it("are decided once, also by a page that stays open", async () => {
    const root = given.sheaf.url.replace(/\/v2$/, "")
    const redirect_uri = "com.example.assistant:/callback"
    const registered = await fetch(`${root}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Assistant", redirect_uris: [redirect_uri] })
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const { page } = await given.signedIn(await given.account())
    await page.goto(`${root}/oauth/authorize?${requestOf(client_id, pkce().challenge, { redirect_uri })}`)
    const dialog = page.getByRole("dialog", { name: "Allow Assistant?" })
    const shares = dialog.getByText("It may also publish notes by share links")
    await shares.waitFor()
    await dialog.getByLabel("write notes").uncheck()
    expect(await shares.count()).toBe(0)
    await dialog.getByRole("button", { name: "Allow" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(new URL(page.url()).search).toBe("")
    await page.reload()
    await page.getByRole("heading", { name: "Connected apps", level: 1 }).waitFor()
    expect(await dialog.count()).toBe(0)
    await page.context().close()
  })
})
