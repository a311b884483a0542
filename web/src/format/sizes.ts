const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const

/** The size of a file in words: "4.7 MB". */
export function formatSize(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024
  const digits = unit === 0 || size >= 100 ? 0 : 1
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(size)} ${UNITS[unit]}`
}
