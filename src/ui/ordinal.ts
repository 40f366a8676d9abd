const rules = new Intl.PluralRules('en', { type: 'ordinal' });
const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** '1st', '2nd', '11th'. */
export const ordinal = (n: number): string => `${n}${suffixes[rules.select(n)] ?? 'th'}`;
