/**
 * The built-ins that Safari 16.4, Chrome and Edge 109, or Firefox 115 lack, by the object that has them. The linter
 * rejects them in code of the browser (`tree.test.ts`), and a browser test opens every screen without them.
 */
export const newerBuiltIns: Record<string, string> = {
  Array: 'fromAsync',
  'Array.prototype': 'toSorted toReversed toSpliced with',
  'Object.getPrototypeOf(Int8Array.prototype)': 'toSorted toReversed with',
  Uint8Array: 'fromBase64 fromHex',
  'Uint8Array.prototype': 'toBase64 toHex setFromBase64 setFromHex',
  'ArrayBuffer.prototype':
    'resize resizable maxByteLength transfer transferToFixedLength transferToImmutable detached',
  'DataView.prototype': 'getFloat16 setFloat16',
  Object: 'groupBy',
  Map: 'groupBy',
  'Map.prototype': 'getOrInsert getOrInsertComputed',
  'WeakMap.prototype': 'getOrInsert getOrInsertComputed',
  'Set.prototype': 'union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom',
  'String.prototype': 'isWellFormed toWellFormed',
  Promise: 'withResolvers try',
  Symbol: 'dispose asyncDispose',
  Error: 'isError',
  Math: 'f16round sumPrecise',
  JSON: 'rawJSON isRawJSON',
  RegExp: 'escape',
  Atomics: 'waitAsync pause',
  Intl: 'Segmenter DurationFormat',
  'Intl.NumberFormat.prototype': 'formatRange formatRangeToParts',
  'Intl.PluralRules.prototype': 'selectRange',
  'Intl.Locale.prototype':
    'getCalendars getCollations getHourCycles getNumberingSystems getTextInfo getTimeZones getWeekInfo',
  URL: 'parse canParse',
  'URLSearchParams.prototype': 'size',
  AbortSignal: 'any',
  Response: 'json',
  'Response.prototype': 'bytes',
  'Request.prototype': 'bytes',
  'Blob.prototype': 'bytes',
  ReadableStream: 'from',
  'ReadableStream.prototype': 'values',
  'Element.prototype': 'checkVisibility getHTML setHTML setHTMLUnsafe moveBefore ariaNotify',
  'HTMLElement.prototype': 'popover showPopover hidePopover togglePopover',
  'HTMLDialogElement.prototype': 'requestClose closedBy',
  Document: 'parseHTMLUnsafe parseHTML',
  'Document.prototype': 'startViewTransition caretPositionFromPoint',
  CSS: 'highlights registerProperty',
  'Navigator.prototype': 'userActivation',
  window:
    'Iterator AsyncIterator Temporal Float16Array DisposableStack AsyncDisposableStack SuppressedError URLPattern requestIdleCallback cancelIdleCallback scheduler CloseWatcher navigation Highlight cookieStore ToggleEvent Sanitizer',
};

/** The methods of iterators. The linter cannot tell them from those of lists. */
export const iteratorHelpers = 'map filter take drop flatMap reduce toArray forEach some every find';
