import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { SheafClient } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { administrationTexts } from "./AdministrationMessages.ts"
import { type AdministrationRoute, pageAddress } from "../Navigation.ts"
import { pathTo } from "../PageData.ts"
import { focusHeading } from "./focusHeading.ts"
import { Icon, type IconName } from "./Icon.tsx"
import { PasswordRequest } from "./PasswordRequest.tsx"
import "../style/OnDemandStyle.ts"

/** Pages below one heading of the navigation. */
interface PageSection {
  readonly heading: string
  readonly pages: ReadonlyArray<{ readonly name: string; readonly title: string; readonly icon: IconName }>
}

interface AdministrationProps {
  readonly client: SheafClient
  /** The name of the navigation. */
  readonly label: string
  readonly sections: ReadonlyArray<PageSection>
  readonly shown: AdministrationRoute
  /** The title of the open page; undefined if there is no such page. */
  readonly title: string | undefined
  /** Why no changes come, if so. */
  readonly connection: ComponentChildren
  /** Shows the notes. */
  readonly onClose: () => void
  /** The open page. */
  readonly children: ComponentChildren
}

/** The frame of pages of administration: their navigation, the open page, and the place where it asks for the password. */
export const Administration = ({
  children,
  client,
  connection,
  label,
  onClose,
  sections,
  shown,
  ...page
}: AdministrationProps) => {
  const title = page.title ?? administrationTexts.noPage
  const navigation = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${title} · ${texts.name}`
    focusHeading()
  }, [shown.page, shown.id])
  useEffect(() => {
    // On a phone the navigation is a line that scrolls.
    navigation.current!.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [shown.page, sections.length])
  return (
    <div class="shell settings">
      <button type="button" class="skip" onClick={focusHeading}>
        {administrationTexts.skip}
      </button>
      <nav ref={navigation} class="sidebar" aria-label={label}>
        <a
          class="back-link"
          href={pathTo("/all")}
          onClick={(event) => {
            event.preventDefault()
            onClose()
          }}
        >
          <Icon name="back" />
          {administrationTexts.back}
        </a>
        {sections.map(({ heading, pages }) => (
          <div key={heading} class="nav-section">
            <h2>{heading}</h2>
            <ul class="labels">
              {pages.map(({ icon, name, title }) => (
                <li key={name}>
                  <a href={pageAddress(shown.area, name)} aria-current={shown.page === name ? "page" : undefined}>
                    <Icon name={icon} />
                    <span class="name">{title}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main>
        <div class="settings-page">
          {connection}
          <h1 tabIndex={-1}>{title}</h1>
          {children}
        </div>
      </main>
      <PasswordRequest client={client} />
    </div>
  )
}
