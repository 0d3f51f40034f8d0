/** Paths of icons in a square of 24, drawn with lines. */
const paths = {
  all: "M5 4h11l3 3v13H5zM9 10h6M9 14h6",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  attach: "M8 12.5l5.8-5.8a3 3 0 0 1 4.3 4.3l-7.6 7.5a5 5 0 0 1-7-7L11 4",
  back: "M15 5l-7 7 7 7",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4",
  book: "M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12",
  check: "M5 12.5l4.5 4.5L19 7.5",
  chevron: "M9 6l6 6-6 6",
  clock: "M12 4a8 8 0 1 0 .01 0M12 8v4.5l3 2",
  close: "M6 6l12 12M18 6L6 18",
  comment: "M4 5h16v11H11l-5 4v-4H4z",
  edit: "M5 19l1-4L16.5 4.5l3 3L9 18z",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12a1 1 0 1 0 .01 0M12 12a1 1 0 1 0 .01 0M19 12a1 1 0 1 0 .01 0",
  pin: "M9 4h6l-.6 6 3.1 3.5H6.5L9.6 10zM12 13.5V20",
  plus: "M12 5v14M5 12h14",
  search: "M10.5 5a5.5 5.5 0 1 0 .01 0M14.6 14.6L20 20",
  share: "M12 15V4M8 7.5L12 4l4 3.5M6 12v8h12v-8",
  tag: "M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01",
  template: "M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z",
  trash: "M5 7h14M9 7V4.5h6V7M7 7l1 13h8l1-13",
  user: "M12 4a4 4 0 1 0 .01 0M5 20c.6-4 3.4-6 7-6s6.4 2 7 6"
} as const

export type IconName = keyof typeof paths

/** A decoration: the element around it has the name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
