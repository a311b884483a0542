// Writes the fonts in web/src/styles again, for a new version of Inter:
// npm install --no-save --ignore-scripts subset-font@2.9.0 && node scripts/narrow-font.js
import { readFile, writeFile } from 'node:fs/promises'
import subsetFont from 'subset-font'

const parts = {
  latin: '20-7E,A0-FF,131,152-153,2BB-2BC,2C6,2DA,2DC,304,308,329,2000-206F,20AC,2122,2191,2193,2212,2215,FEFF,FFFD',
  // The languages of Europe. The rest of this part is five times as large and rare.
  'latin-ext': '100-130,132-151,154-17F,218-21B,1E9E',
}

for (const [part, ranges] of Object.entries(parts)) {
  const whole = await readFile(`node_modules/@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`)
  const narrowed = await subsetFont(whole, ranges.split(',').map(charactersOf).join(''), {
    targetFormat: 'woff2',
    // The weights and the features that the application uses.
    variationAxes: { wght: { min: 400, max: 600, default: 400 } },
    keepFeatures: ['calt', 'ccmp', 'cv11', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'ss03', 'tnum'],
    noHinting: true,
  })
  await writeFile(`web/src/styles/inter-${part}.woff2`, narrowed)
}

function charactersOf(range) {
  const [first, last = first] = range.split('-').map((code) => Number.parseInt(code, 16))
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, place) => first + place))
}
