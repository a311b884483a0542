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
  Rossi, Sato, Schmidt, Silva, Singh, Smith, Tanaka, Torres, Virtanen, Walker, Weber, Wilson, Wójcik, Yamamoto,
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

export const jobTitles = listOf(`
  Account Executive, Buyer, Chief Executive Officer, Chief Financial Officer, Chief Technology Officer, Consultant,
  Customer Success Manager, Data Analyst, Designer, Engineer, Founder, General Counsel, Head of Growth,
  Head of Operations, HR Manager, Marketing Manager, Office Manager, Product Manager, Purchasing Manager,
  Sales Director, Software Developer, VP Engineering, VP Sales
`)

export const taskVerbs = listOf(`
  Call, Email, Follow up with, Meet, Prepare the offer for, Send the contract to, Thank
`)

export const noteTitles = listOf(`
  Call notes, Kick-off, Meeting notes, Next steps, Pricing discussion, Research, Review
`)

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
  'Send the summary by Friday.',
] as const

export const tags = listOf(`
  beta, conference, inbound, newsletter, partner, press, priority, referral, renewal, VIP
`)
