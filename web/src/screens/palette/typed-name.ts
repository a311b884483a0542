/** A part of the words was a search for them. What comes after them is a name, and so is every other text. */
export function labelled(words: string, typed: string): { label: string; name: string } {
  const text = typed.trim()
  if (words.toLowerCase().includes(text.toLowerCase())) return { label: words, name: '' }
  const name = text.toLowerCase().startsWith(`${words.toLowerCase()} `) ? text.slice(words.length + 1).trim() : text
  return { label: `${words} “${name}”`, name }
}
