const CODE_MAX = 50
const CODE = /^[a-z][a-z0-9_]{0,49}$/

/** The code of a field from its name, with a number if the code is taken. */
export function codeFor(name: string, taken: ReadonlySet<string>): string {
  const plain = plainCode(name)
  let code = plain
  for (let number = 2; taken.has(code); number++) code = numbered(plain, number)
  return code
}

export function isCode(text: string): boolean {
  return CODE.test(text)
}

export const CODE_RULE = `must begin with a letter from a to z and go on with such letters, digits and underscores, at most ${CODE_MAX} characters in all`

/** Letters that Unicode does not split into a plain letter and an accent. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
}

function plainCode(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’]/gu, '')
    .replaceAll(/[^a-z0-9]/gu, (character) => spelled[character] ?? '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')
  if (letters === '') return 'field'
  return cut(/^[a-z]/.test(letters) ? letters : `field_${letters}`, CODE_MAX)
}

function numbered(code: string, number: number): string {
  const ending = `_${number}`
  return cut(code, CODE_MAX - ending.length) + ending
}

function cut(code: string, length: number): string {
  return code.slice(0, length).replace(/_$/, '')
}
