/** More than a busy server takes (285 to 333 MB), and less than it may. */
const scarceBytes = 360 * 1024 * 1024

/** Whether this process, with all its threads, has so much memory that what can be had again should make room. */
export const isMemoryScarce = (): boolean => process.memoryUsage.rss() > scarceBytes
