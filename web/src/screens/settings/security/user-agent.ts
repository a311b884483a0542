/**
 * Names as browsers send them, the most specific first: most of them also call themselves Safari or
 * Chrome.
 */
const browsers: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** "Firefox on Windows", if the browser sends it. */
export function deviceOf(userAgent: string | null): string {
  const browser = named(browsers, userAgent)
  const system = named(systems, userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}

export function isHandheld(userAgent: string | null): boolean {
  return /iPhone|iPod|iPad|Android/.test(userAgent ?? '')
}

function named(names: readonly [RegExp, string][], text: string | null): string | undefined {
  return names.find(([sign]) => sign.test(text ?? ''))?.[1]
}
