type WeekInfo = { firstDay: number }

/** The first day of a week where the reader lives: 1 is Monday, 7 is Sunday. */
export function weekStart(): number {
  // Newer than the types, and not in every browser.
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & { getWeekInfo?(): WeekInfo; weekInfo?: WeekInfo }
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}
