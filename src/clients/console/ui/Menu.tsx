import { useId, useRef, useState } from "preact/hooks"
import { Icon, type IconName } from "./Icon.tsx"

export interface MenuItem {
  /** The subject, if other items may have the same label. */
  readonly id?: string
  readonly label: string
  readonly icon?: IconName
  readonly isDanger?: boolean
  readonly isChecked?: boolean
  readonly onSelect: () => void
}

interface MenuProps {
  readonly label: string
  readonly icon: IconName
  readonly items: ReadonlyArray<MenuItem>
}

/** Space between the button and the menu, and between the menu and the edge of the window. */
const gap = 4

/** A button that opens a menu (WAI-ARIA, menu button). The browser closes it when the focus or a click goes elsewhere. */
export const Menu = ({ icon, items, label }: MenuProps) => {
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()
  // Lists have a menu in each row: its items are in the page while it is open.
  const [isOpen, setIsOpen] = useState(false)
  const place = () => {
    const [from, own] = [button.current!.getBoundingClientRect(), menu.current!]
    const left = Math.max(gap, Math.min(from.left, innerWidth - own.offsetWidth - gap))
    const below = from.bottom + gap
    const top = below + own.offsetHeight > innerHeight ? Math.max(gap, from.top - own.offsetHeight - gap) : below
    own.style.left = `${left}px`
    own.style.top = `${top}px`
  }
  const move = (step: number) => {
    const all = [...menu.current!.querySelectorAll("button")]
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(step)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popovertarget={id}
      >
        <Icon name={icon} />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="menu"
        onKeyDown={onKeyDown}
        onBeforeToggle={({ newState }) => newState === "open" && setIsOpen(true)}
        onToggle={({ newState }) => {
          if (newState === "closed") return setIsOpen(false)
          place()
          menu.current?.querySelector("button")?.focus()
        }}
      >
        {(isOpen ? items : []).map((item) => (
          <button
            key={item.id ?? item.label}
            type="button"
            role={item.isChecked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={item.isChecked}
            class={item.isDanger === true ? "danger" : ""}
            onClick={() => {
              menu.current?.hidePopover()
              item.onSelect()
            }}
          >
            {item.isChecked === true ? <Icon name="check" /> : item.icon !== undefined && <Icon name={item.icon} />}
            <span>{item.label}</span>
          </button>
        ))}
      </div>
    </>
  )
}
