/** How a user wants to read numbers and dates. `auto` is as the browser does it. */
export const formatChoices = {
  /** Named after how 1234.5 looks. */
  numbers: ['auto', '1,234.5', '1.234,5', '1 234,5', '1’234.5', '1234.5'],
  /** Named after how the parts of a date are ordered. */
  dates: ['auto', 'd mmm yyyy', 'mmm d, yyyy', 'dd/mm/yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy', 'yyyy-mm-dd'],
  hours: ['auto', '12', '24'],
  first_day: ['auto', 'monday', 'saturday', 'sunday'],
} as const

export type FormatName = keyof typeof formatChoices
export type Formats = { [name in FormatName]: (typeof formatChoices)[name][number] }

export const autoFormats: Formats = { numbers: 'auto', dates: 'auto', hours: 'auto', first_day: 'auto' }
