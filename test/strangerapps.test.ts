import { it } from "vitest"
import { useConsole } from "./support/browser/useConsole.ts"
import { pkce, requestOf } from "./support/oauth/OAuthFlow.ts"
const given = useConsole()
it("looks", async () => {
  const root = given.sheaf.url.replace(/\/v2$/, "")
  const reg = (await (
    await fetch(`${root}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] })
    })
  ).json()) as any
  const who = await given.account()
  const { page } = await given.signedIn(who)
  for (const [w, h, scheme] of [
    [1280, 800, "light"],
    [390, 844, "dark"]
  ] as const) {
    await page.setViewportSize({ width: w, height: h })
    await page.emulateMedia({ colorScheme: scheme })
    await page.goto(
      `${root}/oauth/authorize?${requestOf(reg.client_id, pkce().challenge, { redirect_uri: "https://claude.ai/api/mcp/auth_callback" })}`
    )
    await page.getByRole("button", { name: "Refuse" }).waitFor()
    await page.waitForTimeout(400)
    await page.screenshot({ path: `/tmp/consent-${w}.png` })
    await page.goto(`${root}/console/settings/apps`)
    await page.getByText("You have connected no app").waitFor()
    await page.screenshot({ path: `/tmp/apps-${w}.png` })
  }
  await page.goto(`${root}/oauth/authorize?client_id=x`)
  await page.screenshot({ path: `/tmp/consent-bad.png` })
}, 120000)
