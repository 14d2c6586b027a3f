# SPDX-License-Identifier: Apache-2.0
# Both modes on the mismatched robot: paths of P and distance from the planned path.
# Reads out/b.pd.log.csv and out/b.both.log.csv, writes out/tracking.png.
set terminal pngcairo size 1200,520 font "sans,11"
set output "out/tracking.png"
set datafile separator ","
set datafile commentschars "#"
set multiplot layout 1,2
playing(value) = ($23 == 2 ? value : NaN)
set grid
set size ratio -1
set xlabel "x [m]"; set ylabel "y [m]"
set title "Curve B, path of P"
set key bottom left
plot "out/b.pd.log.csv" skip 1 using (playing($8)):9 with lines lw 2 lc rgb "#999999" title "planned", \
     "" skip 1 using (playing($19)):20 with lines lc rgb "#c04040" title "PD alone", \
     "out/b.both.log.csv" skip 1 using (playing($19)):20 with lines lc rgb "#2060b0" title "feedforward + PD"
set size noratio
set xlabel "t [s]"; set ylabel "distance from the planned path [mm]"
set title "Tracking error on a robot 20 % heavier, with unknown friction"
set key top right
distance(x, y, a, b) = 1000 * sqrt((x - a)**2 + (y - b)**2)
plot "out/b.pd.log.csv" skip 1 using (playing($1)):(distance($8, $9, $19, $20)) with lines lc rgb "#c04040" title "PD alone", \
     "out/b.both.log.csv" skip 1 using (playing($1)):(distance($8, $9, $19, $20)) with lines lc rgb "#2060b0" title "feedforward + PD"
unset multiplot
