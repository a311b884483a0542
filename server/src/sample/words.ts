/** The items of a list that is written as text. */
function listOf(text: string): readonly string[] {
  return text.trim().split(/,\s+/)
}

export const firstNames = listOf(`
  Ada, Amara, Anna, Arjun, Astrid, Ayşe, Bela, Carlos, Chen, Chloé, Daniel, Diego, Elena, Emeka, Emma, Farid,
  Fatima, Felix, Grace, Hana, Hugo, Ines, Ivan, Jonas, Julia, Kai, Kofi, Lars, Leila, Lena, Liam, Lucía, Magnus,
  Maria, Mei, Mina, Nadia, Niko, Noah, Nora, Olga, Omar, Paolo, Petra, Priya, Rafael, Rosa, Samir, Sara, Sofia,
  Tariq, Theo, Tomás, Vera, Wei, Yara, Yuki, Zoe
`)

export const lastNames = listOf(`
  Abebe, Adler, Almeida, Andersson, Bauer, Becker, Bianchi, Brown, Castro, Costa, Dubois, Eriksen, Fernández,
  Fischer, García, Haddad, Hansen, Ibrahim, Ito, Ivanova, Jansen, Johnson, Kaya, Kim, Kowalski, Kumar, Larsen, Lee,
  Lindqvist, López, Martin, Meyer, Mensah, Müller, Nakamura, Nguyen, Novak, O’Brien, Okafor, Patel, Petrov, Reyes,
  Rossi, Sato, Schmidt, Silva, Singh, Smith, Tanaka, Torres, Virtanen, Scaner, Weber, Wilson, Wójcik, Yamamoto,
  Yilmaz, Zhang
`)

export const companyWords = listOf(`
  Alpine, Amber, Anchor, Arbor, Atlas, Aurora, Bright, Cedar, Cobalt, Copper, Coral, Crescent, Delta, Ember, Fable,
  Falcon, Fern, Flint, Garnet, Granite, Harbor, Hazel, Helix, Indigo, Iris, Juniper, Kestrel, Lantern, Larch,
  Linden, Lumen, Maple, Marble, Meridian, Mosaic, Nimbus, North, Oak, Onyx, Orchard, Osprey, Pebble, Pine, Polar,
  Quartz, Raven, Ridge, River, Saffron, Sage, Sierra, Silver, Slate, Solstice, Stone, Summit, Thistle, Timber,
  Topaz, Umber, Verdant, Willow, Winter, Zephyr
`)

export const companyKinds = listOf(`
  Analytics, Bank, Biotech, Capital, Clinic, Cloud, Consulting, Design, Energy, Engineering, Farms, Foods, Freight,
  Health, Hotels, Insurance, Labs, Legal, Logistics, Media, Mobility, Motors, Networks, Optics, Partners, Payments,
  Pharma, Press, Robotics, Security, Software, Solar, Studios, Systems, Textiles, Travel
`)

/** Where a branch of a company is. */
export const regions = listOf(`
  Adriatic, Africa, Alps, America, Asia, Atlantic, Australia, Austria, Baltic, Benelux, Brazil, Canada, Caribbean,
  Chile, Denmark, Europe, Finland, France, Germany, Iberia, India, Ireland, Italy, Japan, Mexico, Nordics, Norway,
  Pacific, Poland, Scotland, Spain, Sweden, Wales
`)

/** The head of a small company. */
export const owners = listOf('Founder, Managing Director, Owner')

/** Positions that only one person of a company has. */
export const leaders = listOf(`
  Head of Operations, Chief Executive Officer, Chief Financial Officer, VP Sales, Chief Technology Officer,
  General Counsel, Head of Growth
`)

/** People who work for no company. */
export const independents = listOf('Consultant, Designer, Investor, Journalist, Photographer, Translator')

export const staff = listOf(`
  Account Executive, Buyer, Consultant, Customer Success Manager, Data Analyst, Designer, Engineer, HR Manager,
  Marketing Manager, Office Manager, Product Manager, Project Manager, Purchasing Manager, Sales Manager,
  Software Developer
`)

/** Each comes before the name of a person. */
export const personTasks = listOf('Call, Email, Follow up with, Meet, Send the summary to, Thank')

/** Tasks for a person with an open deal. */
export const dealTasks = listOf(`
  Call, Discuss the price with, Follow up with, Prepare the offer for, Send references to, Send the contract to
`)

export const teamTasks = listOf(`
  Check open invoices, Clean up old contacts, Plan the next newsletter, Prepare the sales report,
  Update the price list
`)

export const taskDetails = [
  'Ask who signs.',
  'Mention the new version.',
  'Mornings are best.',
  'Send the summary afterwards.',
  'Bring the last offer.',
  'Ask what has changed since last time.',
] as const

export const teamNotes = listOf('Pipeline review, Team meeting, Weekly review')

/** The title of a note, and how its text begins. */
export const meetings = [
  ['Call notes', 'Spoke with'],
  ['Meeting notes', 'Met'],
  ['First contact', 'Got to know'],
  ['Review', 'Looked back on the year with'],
] as const

export const sentences = [
  'They want to start before the end of the quarter.',
  'The budget is approved.',
  'Security review is still open.',
  'Asked for references from the same industry.',
  'Prefers to be contacted in the morning.',
  'Currently uses a spreadsheet.',
  'The decision lies with the board.',
  'Wants a trial for the whole team.',
  'Price was not the main concern.',
  'Wants the summary by Friday.',
] as const

export const tags = listOf(`
  beta, conference, inbound, newsletter, partner, press, priority, referral, renewal, VIP
`)
