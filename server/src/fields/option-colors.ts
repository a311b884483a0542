/** Names, so that every surface picks its own shades. */
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

/** The default colour of an option, by its position. */
export function colorAt(place: number): OptionColor {
  return optionColors[place % optionColors.length] ?? 'gray'
}

export function isOptionColor(name: unknown): name is OptionColor {
  return optionColors.some((color) => color === name)
}
