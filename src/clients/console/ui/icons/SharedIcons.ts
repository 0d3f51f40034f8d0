/** Paths of icons that both notebooks and the first page have, in a square of 24, drawn with lines. */
export const sharedIcons = {
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4",
  book: "M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12",
  chat: "M4 5h16v11H11l-5 4v-4H4z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  clock: "M12 4a8 8 0 1 0 .01 0M12 8v4.5l3 2",
  compass: "M12 4a8 8 0 1 0 .01 0M15.5 8.5l-2 5-5 2 2-5z",
  database: "M5 6c0-3 14-3 14 0s-14 3-14 0v12c0 3 14 3 14 0V6M5 12c0 3 14 3 14 0",
  gear: "M12 9a3 3 0 1 0 .01 0M12 4v3M12 17v3M4 12h3M17 12h3M6.3 6.3l2.2 2.2M15.5 15.5l2.2 2.2M17.7 6.3l-2.2 2.2M8.5 15.5l-2.2 2.2",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5",
  list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  paperclip: "M8 12.5l5.8-5.8a3 3 0 0 1 4.3 4.3l-7.6 7.5a5 5 0 0 1-7-7L11 4",
  pen: "M5 19l1-4L16.5 4.5l3 3L9 18z",
  phone: "M7 3h10v18H7zM11 18h2",
  pin: "M9 4h6l-.6 6 3.1 3.5H6.5L9.6 10zM12 13.5V20",
  tag: "M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01",
  user: "M12 4a4 4 0 1 0 .01 0M5 20c.6-4 3.4-6 7-6s6.4 2 7 6"
} as const
