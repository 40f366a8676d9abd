import { languages } from '#languages/languages.ts';

/** The options of a select for a language. Each language has its own name. */
export const LanguageOptions = () =>
  Object.entries(languages).map(([code, { name }]) => (
    <option key={code} value={code} lang={code}>
      {name}
    </option>
  ));
