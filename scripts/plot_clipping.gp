# SPDX-License-Identifier: Apache-2.0
# Curve C on the mismatched robot with 10 V and with 2 V: why the gain of the feedforward shrinks at 2 V. Made with
#   fivebar plan config/curves/c.yaml --out out/c.plan.csv
#   fivebar run out/c.plan.csv --fast --plant config/plants/mismatched.yaml --log out/c.free.log.csv
#   fivebar run out/c.plan.csv --fast --plant config/plants/mismatched.yaml --voltage-limit 2 --log out/c.clipped.log.csv
#   gnuplot scripts/plot_clipping.gp      (writes out/curve_c_clipped.png)
set terminal pngcairo size 1200,640 font "sans,11"
set output "out/curve_c_clipped.png"
set datafile separator ","
set datafile commentschars "#"
set multiplot layout 2,1
set grid
set xrange [0:3]
playing(value) = ($23 == 2 ? value : NaN)
distance(x, y, a, b) = 1000 * sqrt((x - a)**2 + (y - b)**2)
set ylabel "error of P [mm]"
set key top left
set title "Curve C planned within 2 V, feedforward + PD on the mismatched robot"
plot "out/c.free.log.csv" skip 1 using (playing($1)):(distance($8, $9, $19, $20)) with lines lc rgb "#2060b0" title "clamped at 10 V", \
     "out/c.clipped.log.csv" skip 1 using (playing($1)):(distance($8, $9, $19, $20)) with lines lc rgb "#c04040" title "clamped at 2 V"
unset title
set xlabel "t [s]"; set ylabel "volts at motor 1"
set yrange [-4:4]
plot "out/c.free.log.csv" skip 1 using (playing($1)):13 with lines lc rgb "#2060b0" title "wanted: applied with 10 V", \
     "out/c.clipped.log.csv" skip 1 using (playing($1)):13 with lines lc rgb "#c04040" title "applied with 2 V", \
     2 lc rgb "#999999" dt 2 notitle, -2 lc rgb "#999999" dt 2 notitle
unset multiplot
