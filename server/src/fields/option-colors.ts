/** What an option can be shown in. Names, so that every surface picks its own shades. */
export const optionColors = [
  'gray',
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'indigo',
  'purple',
  'pink',
] as const
export type OptionColor = (typeof optionColors)[number]

/** The colour of an option that was given none: each place has the next one. */
export function colorAt(place: number): OptionColor {
  return optionColors[place % optionColors.length] ?? 'gray'
}

export function isOptionColor(name: unknown): name is OptionColor {
  return optionColors.some((color) => color === name)
}
