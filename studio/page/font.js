// SPDX-License-Identifier: Apache-2.0
// Letters of one stroke width for a pen: lines on a grid four wide and six high. '|' lifts the pen where there is one;
// this robot has none, so that its way to the next line is drawn as well.
'use strict';
const strokeFont = {
  A: '00 26 40|12 32', B: '00 06 36 45 44 33 03|33 42 41 30 00', C: '45 36 16 05 01 10 30 41', D: '00 06 26 44 42 20 00',
  E: '46 06 00 40|03 33', F: '46 06 00|03 33', G: '45 36 16 05 01 10 30 41 43 23', H: '06 00|03 43|46 40', I: '16 36|26 20|10 30',
  J: '46 41 30 10 01', K: '06 00|46 03 40', L: '06 00 40', M: '00 06 23 46 40', N: '00 06 40 46', O: '10 01 05 16 36 45 41 30 10',
  P: '00 06 36 45 44 33 03', Q: '10 01 05 16 36 45 41 30 10|22 40', R: '00 06 36 45 44 33 03|23 40',
  S: '45 36 16 05 04 13 33 42 41 30 10 01', T: '06 46|26 20', U: '06 01 10 30 41 46', V: '06 20 46', W: '06 10 24 30 46',
  X: '00 46|06 40', Y: '06 23 46|23 20', Z: '06 46 00 40',
  0: '10 01 05 16 36 45 41 30 10', 1: '04 26 20|00 40', 2: '05 16 36 45 44 00 40', 3: '06 46 23 33 42 41 30 10 01',
  4: '30 36 02 42', 5: '46 06 03 33 42 41 30 10 01', 6: '45 36 16 05 01 10 30 41 42 33 13 02', 7: '06 46 10',
  8: '13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33', 9: '01 10 30 41 45 36 16 05 04 13 33 44',
  '-': '13 33', '+': '13 33|24 22', '.': '20 21', ',': '21 10', '!': '26 22|20 21', '?': '05 16 36 45 44 23 22|20 21',
  ':': '24 23|21 20', '/': '00 46', "'": '26 24', '(': '36 24 22 30', ')': '16 24 22 10', '=': '14 34|32 12', '*': '11 35|31 15|03 43',
};
const unaccented = (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toUpperCase();

// Points of a text in letters of height 1 from (0, 0); characters that the font does not have are named in `unknown`.
function textPoints(text) {
  const points = [];
  const unknown = new Set();
  let left = 0;
  for (const character of unaccented(text)) {
    const glyph = strokeFont[character];
    if (character === ' ') { left += 3; continue; }
    if (!glyph) { unknown.add(character); continue; }
    for (const stroke of glyph.split('|')) {
      for (const place of stroke.split(' ')) points.push([(left + Number(place[0])) / 6, Number(place[1]) / 6]);
    }
    left += 5.5;
  }
  return {points, unknown: [...unknown]};
}
